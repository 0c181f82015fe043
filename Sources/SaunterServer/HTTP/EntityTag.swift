import Crypto
import Foundation
import HTTPTypes
import SaunterCore

/// A strong entity tag (RFC 9110, 8.8.3), without its quotes.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// ASCII letters, digits, `-` and `_`.
    package let value: String

    /// Any other character is left out.
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

    /// The tag of what is told of something that is edited. It changes with whatever is told; an edit with it in `If-Match` means the state alone.
    package init(_ state: EntityTag, of value: JSON) {
        self.init("\(state.value)_\(EntityTag(of: value).value)")
    }

    /// As headers carry it.
    package var description: String { "\"\(value)\"" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
            || byte == 95
    }

    /// What stands behind the tag when the same thing was sent compressed, which makes other bytes of it.
    static let gzipSuffix = "-gzip"

    /// Whether `If-None-Match` names this tag. Compares weakly, and takes the compressed form for the same thing.
    /// - Parameter asState: whether a tag of what is told of this state names it, too.
    func isNamed(in header: String, asState: Bool = false) -> Bool {
        header.split(separator: ",").contains { entry in
            var entry = entry.drop { $0 == " " || $0 == "\t" }
            while entry.last == " " || entry.last == "\t" { entry = entry.dropLast() }
            if entry == "*" { return true }
            if entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
            guard entry.count >= 2, entry.first == "\"", entry.last == "\"" else { return false }
            var name = entry.dropFirst().dropLast()
            if name.hasSuffix(Self.gzipSuffix) { name = name.dropLast(Self.gzipSuffix.count) }
            return name == value || asState && name.hasPrefix("\(value)_")
        }
    }
}

extension Call {
    /// For edits: throws 428 without `If-Match`, 412 when it names another state than the current one.
    package func requireMatch(_ current: EntityTag) throws(Problem) {
        guard let given = headers[.ifMatch] else {
            throw Problem(.preconditionRequired, "Send If-Match with the entity tag of what is edited.")
        }
        guard current.isNamed(in: given, asState: true) else {
            throw Problem(.preconditionFailed, "The entity tag in If-Match is not the current one.")
        }
    }
}
