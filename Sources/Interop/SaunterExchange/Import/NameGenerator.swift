import SaunterCore

/// Generates unique names for packs from any text: `[a-z][a-z0-9_]*`, as packs require. Codes of options can also begin
/// with a digit.
struct NameGenerator {
    /// Keywords of the expression language, `null` of YAML, and the code under which free-text answers are stored.
    private static let keywords: Set<String> = [
        "and", "or", "not", "in", "true", "false", "null", Item.otherCode,
    ]

    private let reserved: Set<String>
    private var taken: Set<String> = []

    init() {
        reserved = Self.keywords
    }

    /// For the codes of an item's options. Expressions quote option codes, so keywords are allowed. Only `other` is
    /// reserved, if the item has a free-text column.
    init(optionsOf item: Item) {
        reserved = item.type.acceptsFreeText ? [Item.otherCode] : []
    }

    /// - Parameters:
    ///   - limit: the maximum number of characters, at least 6.
    ///   - letter: the prefix of a name that would not begin with a letter; nil if a name may begin with a digit.
    mutating func makeName(_ wanted: String, limit: Int = 24, letter: String? = "q") -> String {
        var identifier = Self.identifier(wanted, limit: limit, letter: letter)
        if identifier.isEmpty { identifier = letter ?? "o" }
        var name = identifier
        var number = 2
        while taken.contains(name) || reserved.contains(name) {
            let tail = "_\(number)"
            name = String(identifier.prefix(max(1, limit - tail.count))) + tail
            number += 1
        }
        taken.insert(name)
        return name
    }

    /// Lower-case letters and digits; every run of other characters becomes one underscore. A minus before a number
    /// becomes a word, because -2 and 2 need different names.
    static func identifier(_ text: String, limit: Int, letter: String? = "q") -> String {
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

    /// Whether the text begins with a minus (hyphen-minus or U+2212) and a digit.
    private static func isNegative(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let sign = scalars.first, sign == "-" || sign == "\u{2212}" else { return false }
        return scalars.dropFirst().first.map { (48...57).contains($0.value) } == true
    }
}
