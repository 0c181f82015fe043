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

private struct JSONWriter {
    /// Whether members are sorted and numbers are normalised.
    let isCanonical: Bool
    var bytes: [UInt8] = []

    init(isCanonical: Bool) {
        self.isCanonical = isCanonical
        bytes.reserveCapacity(512)
    }

    mutating func write(_ value: JSON) {
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
