import Crypto
import Foundation

extension JSON {
    /// The JSON text as UTF-8, without insignificant white space. Members keep their order.
    package var bytes: [UInt8] {
        var writer = JSONWriter(isCanonical: false)
        writer.write(self)
        return writer.bytes
    }

    /// The canonical JSON text as UTF-8. Members are sorted by the bytes of their names, and numbers are normalised, so
    /// that `1.0` and `1` are equal. Digests are computed from it.
    package var canonicalBytes: [UInt8] {
        var writer = JSONWriter(isCanonical: true)
        writer.write(self)
        return writer.bytes
    }

    /// The JSON text, without insignificant white space. Members keep their order.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Writes JSON text piece by piece, without a `JSON` value in memory. Inside `object` the caller writes only members,
/// elsewhere one value.
package struct JSONWriter {
    /// Whether members of `JSON` values are sorted and numbers are normalised.
    private let isCanonical: Bool
    /// The text so far, as UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// Whether the next member is the first one of its object.
    private var isFirst = true

    /// Creates a writer that keeps the order of members, without insignificant white space.
    package init() { self.init(isCanonical: false) }

    fileprivate init(isCanonical: Bool) {
        self.isCanonical = isCanonical
        bytes.reserveCapacity(512)
    }

    /// Writes an object. The closure writes its members.
    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
        write(&self)
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// Writes an array. The closure writes one value for each element.
    package mutating func array<Element>(
        _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes the name of a member. Its value must follow.
    package mutating func name(_ name: String) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        write(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a member with a value.
    package mutating func member(_ name: String, _ value: JSON) {
        self.name(name)
        write(value)
    }

    /// Writes a member with a text; null for nil.
    package mutating func member(_ name: String, _ text: String?) {
        self.name(name)
        if let text { write(text) } else { write(.null) }
    }

    /// Writes a value.
    package mutating func write(_ value: JSON) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): write(number)
        case .string(let text): write(text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): write(object)
        }
    }

    private mutating func write(_ object: JSONObject) {
        let members =
            isCanonical ? object.members.sorted { $0.name.precedesByBytes($1.name) } : object.members
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.name)
            bytes.append(UInt8(ascii: ":"))
            write(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a text as a JSON string.
    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        let isPlain = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard !utf8.contains(where: Self.isEscaped) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isPlain ?? false { return }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0..<0x20: bytes += ("\\u00" + Hex.encode([byte])).utf8
            default: bytes.append(byte)
            }
        }
    }

    /// Appends a text that needs no escapes.
    private mutating func append(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
            bytes.append(contentsOf: text.utf8)
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func write(_ number: JSONNumber) {
        switch number.form {
        case .plain(let plain) where !isCanonical || plain.isNormalised: plain.write(to: &bytes)
        case .text(let literal) where !isCanonical: append(literal)
        case .plain, .text: append(normalised(number))
        }
    }

    /// Returns the same text for every spelling of a value. It keeps digits that a `Double` would lose, because two
    /// different numbers must not have the same digest.
    private func normalised(_ number: JSONNumber) -> String {
        if let whole = number.int { return String(whole) }
        let decimal = number.decimalDigits
        if decimal.digits.count <= 15, let value = number.double, value != 0 {
            return JSONNumber(value).literal
        }
        if decimal.digits.isEmpty { return "0" }
        return (decimal.isNegative ? "-" : "") + String(decoding: decimal.digits, as: UTF8.self)
            + "e\(decimal.exponent)"
    }
}

extension String {
    /// Compares by UTF-8 bytes, not by Unicode order.
    fileprivate func precedesByBytes(_ other: String) -> Bool {
        let precedes = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.lexicographicallyPrecedes($0) }
        }
        return (precedes ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension JSON {
    /// The SHA-256 of `canonicalBytes`, as 64 hexadecimal digits in lower case.
    package var digest: String {
        Hex.encode(sha256)
    }

    /// The SHA-256 of `canonicalBytes`, 32 bytes.
    package var sha256: [UInt8] { Array(SHA256.hash(data: canonicalBytes)) }
}
