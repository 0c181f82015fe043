import Crypto
import Foundation
import HTTPTypes
import SaunterCore

/// A strong entity tag (RFC 9110, 8.8.3), without its quotes.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// ASCII letters, digits, `-` and `_`.
    package let value: String

    /// Removes all other characters.
    package init(_ value: String) {
        self.value = String(decoding: value.utf8.filter(Self.isAllowed), as: UTF8.self)
    }

    /// The tag of exactly these bytes.
    package init(of bytes: [UInt8]) {
        self.init(Data(SHA256.hash(data: bytes)).base64URL.prefix(27).description)
    }

    /// The tag of a JSON value, by its canonical bytes.
    package init(of value: JSON) {
        self.init(of: value.canonicalBytes)
    }

    /// The tag of a resource that clients edit: a tag of the editable state, and a tag of the complete representation.
    /// It changes whenever the representation changes. In `If-Match` only the state is compared, so that a change of a
    /// derived value does not reject an edit.
    package init(_ state: EntityTag, of value: JSON) {
        self.init("\(state.value)_\(EntityTag(of: value).value)")
    }

    /// The value for a header, in quotes.
    package var description: String { "\"\(value)\"" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
            || byte == 95
    }

    /// The suffix of the tag of a compressed representation, because its bytes are different.
    static let gzipSuffix = "-gzip"

    /// Whether a header (`If-None-Match` or `If-Match`) contains this tag. Ignores `W/` and the suffix for compression.
    /// - Parameter comparesState: accept a tag of any representation of this state, too.
    func isListed(in header: String, comparesState: Bool = false) -> Bool {
        header.split(separator: ",").contains { entry in
            var entry = entry.drop { $0 == " " || $0 == "\t" }
            while entry.last == " " || entry.last == "\t" { entry = entry.dropLast() }
            if entry == "*" { return true }
            if entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
            guard entry.count >= 2, entry.first == "\"", entry.last == "\"" else { return false }
            var name = entry.dropFirst().dropLast()
            if name.hasSuffix(Self.gzipSuffix) { name = name.dropLast(Self.gzipSuffix.count) }
            return name == value || comparesState && name.hasPrefix("\(value)_")
        }
    }
}

extension Call {
    /// Checks the precondition of an edit.
    /// - Throws: 428 without `If-Match`; 412 if it contains another state than the current one.
    package func requireMatch(_ current: EntityTag) throws(Problem) {
        guard let given = headers[.ifMatch] else {
            throw Problem(.preconditionRequired, "Send If-Match with the current ETag of the resource.")
        }
        guard current.isListed(in: given, comparesState: true) else {
            throw Problem(.preconditionFailed, "The ETag in If-Match is not the current one.")
        }
    }
}
