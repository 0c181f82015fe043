/// A look at the bytes of a YAML text before the library sees it. Depth needs none: the library stops at 1,000 levels.
enum YAMLBounds {
    static let maximumBytes = 1 << 20

    /// Nil when the text is within all bounds. Anchors are found without regard to quotes, so that no trick with quotes hides
    /// one: a harmless text in which "&" begins a word is refused as well.
    static func refusal(of text: String) -> (line: Int, message: String)? {
        guard text.utf8.count <= maximumBytes else { return (1, "larger than \(maximumBytes >> 20) MiB") }
        guard !text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) else { return (1, "begins with a byte order mark") }
        var line = 1
        var (beforeLast, last) = (UInt8(ascii: "\n"), UInt8(ascii: "\n"))
        for byte in text.utf8 {
            if last == UInt8(ascii: "&"), !isName(beforeLast), isName(byte) {
                return (line, "anchors are not used in packs; put a space after \"&\" or spell it out")
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            (beforeLast, last) = (last, byte)
        }
        return nil
    }

    /// What the name of an anchor may consist of.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
