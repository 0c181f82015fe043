import SaunterCore

/// Percent-encoding (RFC 3986).
package enum PercentEncoding {
    /// The decoded text; nil if an escape is malformed, or if the bytes are not UTF-8.
    /// - Parameter plusIsBlank: `+` represents a space, as in forms and in queries that browsers write.
    static func decode(_ text: Substring, plusIsBlank: Bool = false) -> String? {
        if !text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
            return String(text)
        }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hex.value(of:)),
                    let low = rest.popFirst().flatMap(Hex.value(of:))
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Escapes every byte except letters, digits and `-._~`.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || Array("-._~".utf8).contains(byte)
            if isPlain {
                bytes.append(byte)
            } else {
                bytes += "%\(Hex.encode([byte]).uppercased())".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
