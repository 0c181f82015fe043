/// Decodes bytes of an XML file.
enum XMLText {
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (9...13).contains(byte) && byte != 11 && byte != 12
    }

    /// A name without its namespace prefix.
    static func local(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }

    /// The text with character references and the five predefined entities of XML resolved; nil for any other entity.
    /// Declared entities are never resolved, because they could expand without limit or refer to files.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(validating: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "&") else {
                text.append(bytes[index])
                index += 1
                continue
            }
            guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: bytes[(index + 1)..<end], as: UTF8.self))
            else { return nil }
            text += Array(String(Character(scalar)).utf8)
            index = end + 1
        }
        return String(validating: text, as: UTF8.self)
    }

    private static func scalar(_ reference: String) -> Unicode.Scalar? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard reference.hasPrefix("#") else { return nil }
            let digits = reference.dropFirst()
            let number =
                digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
            return number.flatMap { Unicode.Scalar($0) }
        }
    }
}
