import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

extension Answer {
    /// The pointers of all faults, with characters outside of ASCII as `\u{00E9}`. Swift would treat pointers that
    /// differ only in their normalisation as equal.
    var pointers: Set<String> {
        let texts = (json["errors"]?.array ?? []).map { $0["pointer"]?.string ?? "?" }
        return Set(texts.map { $0.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() })
    }

    /// Expects a problem document.
    /// - Parameter pointers: all pointers, in the form of the property; nil if the test does not check them.
    func expectProblem(
        _ status: Int, _ slug: String, _ pointers: Set<String>? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(text.prefix(2000))", sourceLocation: sourceLocation)
        #expect(self.slug == slug, "\(text.prefix(2000))", sourceLocation: sourceLocation)
        #expect(json["status"]?.int == status, sourceLocation: sourceLocation)
        #expect(json["instance"]?.string == headers[.requestID], sourceLocation: sourceLocation)
        if let pointers {
            #expect(self.pointers == pointers, "\(text.prefix(2000))", sourceLocation: sourceLocation)
        }
        if pointers == [] { #expect(json["errors"] == nil, sourceLocation: sourceLocation) }
        for fault in json["errors"]?.array ?? [] {
            #expect(fault["code"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
            #expect(fault["detail"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
        }
    }
}
