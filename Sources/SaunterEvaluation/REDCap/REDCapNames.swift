import SaunterCore

/// Names of forms and fields that are unique in a project, as REDCap wants them: lower-case letters, digits and underscores, a letter first.
struct REDCapNames {
    private var taken: Set<String> = []

    /// The wanted name, or where that is taken, itself and some digits of its digest.
    /// - Parameter source: tells this thing from others that want the same name.
    mutating func take(_ wanted: String, of source: String) -> String {
        var name = Self.plain(wanted)
        if taken.contains(name) {
            let digest = JSON.string(source).digest
            var length = 4
            repeat {
                name = "\(Self.plain(wanted))_\(digest.prefix(length))"
                length += 4
            } while taken.contains(name) && length <= digest.utf8.count
        }
        taken.insert(name)
        return name
    }

    /// Letters in lower case, everything else that is no digit as an underscore.
    static func plain(_ text: String) -> String {
        let letters = String(decoding: text.lowercased().utf8.map(letter), as: UTF8.self)
        guard let first = letters.utf8.first, (97...122).contains(first) else { return "f_" + letters }
        return letters
    }

    /// What an option's code is in the name of its column.
    static func choice(_ code: String) -> String {
        String(decoding: code.lowercased().utf8.map(letter), as: UTF8.self)
    }

    private static func letter(_ byte: UInt8) -> UInt8 {
        (97...122).contains(byte) || (48...57).contains(byte) ? byte : UInt8(ascii: "_")
    }
}
