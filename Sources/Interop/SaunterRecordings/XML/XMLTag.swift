/// A start tag. Attributes are parsed only on access, because most of a large file's attributes are not needed.
struct XMLTag {
    /// The name without the namespace prefix, which every writer may choose.
    let name: String
    /// The bytes after the name.
    private let rest: ArraySlice<UInt8>

    init(name: String, rest: ArraySlice<UInt8>) {
        self.name = name
        self.rest = rest
    }

    /// The value of the attribute with this name, ignoring its prefix; nil if there is none, or it cannot be decoded.
    subscript(attribute: String) -> String? {
        var index = rest.startIndex
        while true {
            while index < rest.endIndex, XMLText.isBlank(rest[index]) { index += 1 }
            let start = index
            while index < rest.endIndex, rest[index] != UInt8(ascii: "="), !XMLText.isBlank(rest[index]) {
                index += 1
            }
            let name = rest[start..<index]
            while index < rest.endIndex, rest[index] == UInt8(ascii: "=") || XMLText.isBlank(rest[index]) {
                index += 1
            }
            guard index < rest.endIndex, rest[index] == UInt8(ascii: "\"") || rest[index] == UInt8(ascii: "'")
            else {
                return nil
            }
            let quote = rest[index]
            index += 1
            guard let end = rest[index...].firstIndex(of: quote) else { return nil }
            if XMLText.local(name).elementsEqual(attribute.utf8) { return XMLText.decode(rest[index..<end]) }
            index = end + 1
        }
    }
}
