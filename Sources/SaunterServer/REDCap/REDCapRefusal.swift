import Foundation
import SaunterCore
import SaunterEvaluation

/// How an error is written, by what the client asked for: `returnFormat`, else `format`, else XML.
package enum REDCapRefusal: String, Sendable, Hashable, CaseIterable {
    case json, csv, xml

    init(_ form: FormBody) {
        self = REDCapRefusal(rawValue: form["returnFormat"] ?? form["format"] ?? "xml") ?? .xml
    }

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .xml: "text/xml; charset=utf-8"
        }
    }

    func bytes(_ problem: Problem) -> [UInt8] {
        let faults = problem.faults.map { "\($0.pointer): \($0.detail)" }
        let words = [problem.detail ?? problem.type.title] + faults
        let text = words.joined(separator: " ")
        switch self {
        case .json: return (["error": .string(text)] as JSON).bytes
        case .csv: return Array("ERROR: \(text)".utf8)
        case .xml:
            let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return Array(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" ?><hash><error>\(escaped)</error></hash>".utf8)
        }
    }

    static let schema = Schema.named(
        "REDCapError", .object([.required("error", .string(), "What is wrong, in English.")]))
}
