import SaunterCore

/// Makes names that definitions take, `[a-z][a-z0-9_]*`, out of anything, each once.
struct NameMaker {
    /// Words of the expression language, and what own words are called.
    private static let words: Set<String> = [
        "and", "or", "not", "in", "true", "false", "null", Item.otherCode,
    ]

    private let reserved: Set<String>
    private var taken: Set<String> = []

    init() {
        reserved = Self.words
    }

    /// For the codes of an item's options. Expressions have these in quotes, so that only the column of own words needs its
    /// name for itself, where there is one.
    init(optionsOf item: Item) {
        reserved = item.type == .openChoice ? [Item.otherCode] : []
    }

    /// - Parameters:
    ///   - limit: characters, at least 6.
    ///   - letter: stands before what does not begin with one; nil where a digit may stand first.
    mutating func take(_ wanted: String, limit: Int = 24, letter: String? = "q") -> String {
        var plain = Self.plain(wanted, limit: limit, letter: letter)
        if plain.isEmpty { plain = letter ?? "o" }
        var name = plain
        var number = 2
        while taken.contains(name) || reserved.contains(name) {
            let tail = "_\(number)"
            name = String(plain.prefix(max(1, limit - tail.count))) + tail
            number += 1
        }
        taken.insert(name)
        return name
    }

    /// Small letters and digits; all else becomes single underscores within. A minus before a number is a word, because
    /// -2 is not 2.
    static func plain(_ text: String, limit: Int, letter: String? = "q") -> String {
        var name = isNegative(text) ? "minus_" : ""
        for byte in text.utf8.prefix(400) {
            switch byte {
            case 65...90: name.unicodeScalars.append(Unicode.Scalar(byte + 32))
            case 48...57, 97...122: name.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !name.isEmpty, !name.hasSuffix("_") { name += "_" }
            }
        }
        if let first = name.utf8.first, (48...57).contains(first), let letter { name = letter + name }
        name = String(name.prefix(limit))
        while name.hasSuffix("_") { name.removeLast() }
        return name
    }

    /// Whether it begins with a minus, as keyboards or printers have it, and a digit.
    private static func isNegative(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let sign = scalars.first, sign == "-" || sign == "\u{2212}" else { return false }
        return scalars.dropFirst().first.map { (48...57).contains($0.value) } == true
    }
}
