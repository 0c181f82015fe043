/// A start tag. Its attributes are read when they are asked for: a file of gigabytes has many that nobody wants.
struct XMLTag {
    /// Without the namespace's prefix, which every writer chooses as it likes.
    let name: String
    /// What stands after the name.
    private let rest: ArraySlice<UInt8>

    init(name: String, rest: ArraySlice<UInt8>) {
        self.name = name
        self.rest = rest
    }

    /// The value of the attribute of this name, its prefix left out; nil where there is none, or none that can be read.
    subscript(attribute: String) -> String? {
        var at = rest.startIndex
        while true {
            while at < rest.endIndex, XMLText.isBlank(rest[at]) { at += 1 }
            let start = at
            while at < rest.endIndex, rest[at] != UInt8(ascii: "="), !XMLText.isBlank(rest[at]) { at += 1 }
            let name = rest[start..<at]
            while at < rest.endIndex, rest[at] == UInt8(ascii: "=") || XMLText.isBlank(rest[at]) { at += 1 }
            guard at < rest.endIndex, rest[at] == UInt8(ascii: "\"") || rest[at] == UInt8(ascii: "'") else {
                return nil
            }
            let quote = rest[at]
            at += 1
            guard let end = rest[at...].firstIndex(of: quote) else { return nil }
            if XMLText.local(name).elementsEqual(attribute.utf8) { return XMLText.decode(rest[at..<end]) }
            at = end + 1
        }
    }
}

/// Bytes of an XML file as text.
enum XMLText {
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (9...13).contains(byte) && byte != 11 && byte != 12
    }

    /// A name without its namespace's prefix.
    static func local(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }

    /// With character references and the five entities of XML itself resolved; nil for any other entity. Nobody's own
    /// entities are ever resolved, so that none can grow or name a file.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(validating: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        var at = bytes.startIndex
        while at < bytes.endIndex {
            guard bytes[at] == UInt8(ascii: "&") else {
                text.append(bytes[at])
                at += 1
                continue
            }
            guard let end = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: bytes[(at + 1)..<end], as: UTF8.self))
            else { return nil }
            text += Array(String(Character(scalar)).utf8)
            at = end + 1
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
