import SaunterCore

/// Makes names of forms and fields that are unique in a project and valid in REDCap: lower-case letters, digits and
/// underscores, beginning with a letter.
struct REDCapNames {
    private var used: Set<String> = []

    /// The wanted name. If another form or field has it, some digits of the digest of `source` are appended.
    /// - Parameter source: identifies the form or field among others with the same wanted name.
    mutating func makeName(_ wanted: String, of source: String) -> String {
        var name = Self.identifier(wanted)
        if used.contains(name) {
            let digest = JSON.string(source).digest
            var length = 4
            repeat {
                name = "\(Self.identifier(wanted))_\(digest.prefix(length))"
                length += 4
            } while used.contains(name) && length <= digest.utf8.count
        }
        used.insert(name)
        return name
    }

    /// The text in lower case, with an underscore for every byte that is not an ASCII letter or digit, and with the
    /// prefix `f_` if it does not begin with a letter.
    static func identifier(_ text: String) -> String {
        let letters = String(decoding: text.lowercased().utf8.map(letter), as: UTF8.self)
        guard let first = letters.utf8.first, (97...122).contains(first) else { return "f_" + letters }
        return letters
    }

    /// The code of an option as part of a column name.
    static func choice(_ code: String) -> String {
        String(decoding: code.lowercased().utf8.map(letter), as: UTF8.self)
    }

    private static func letter(_ byte: UInt8) -> UInt8 {
        (97...122).contains(byte) || (48...57).contains(byte) ? byte : UInt8(ascii: "_")
    }
}
