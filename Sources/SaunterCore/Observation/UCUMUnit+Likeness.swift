extension UCUMUnit {
    /// Whether two texts are spellings of one unit, by what UCUM itself says: the litre has the symbols `l` and `L`, and `1/x` is `/x`. Units that merely
    /// measure the same, such as `g` and `kg`, are different ones. What is no unit is like nothing but itself.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || isOne(one) && isOne(other) && common(one) == common(other)
    }

    /// Whether two texts are spellings of one unit to UCUM, to which words in braces are 1: `{beats}/min` is `/min`. Where both have words, these tell the
    /// units apart, since cups are no pieces.
    package static func isSameBesidesWords(_ one: String, _ other: String) -> Bool {
        if isSame(one, other) { return true }
        guard one.contains("{") != other.contains("{"), isOne(one), isOne(other) else { return false }
        return isSame(withoutWords(one), withoutWords(other))
    }

    /// Words that stand alone become a 1; those behind a symbol go.
    private static func withoutWords(_ text: String) -> String {
        var plain = ""
        var isWord = false
        for character in text {
            switch character {
            case "{":
                isWord = true
                if plain.last.map({ "/.(".contains($0) }) ?? true { plain.append("1") }
            case "}": isWord = false
            default: if !isWord { plain.append(character) }
            }
        }
        return plain
    }

    /// Spelled with the litre's capital, and without a 1 before the first slash. Words in braces stay.
    private static func common(_ text: String) -> String {
        var common = ""
        var symbol = ""
        // What ends a brace or bracket that is open: nothing in it is a symbol of its own.
        var closing: Character?
        for character in text {
            if let end = closing {
                symbol.append(character)
                if character == end { closing = nil }
            } else if character == "{" || character == "[" {
                symbol.append(character)
                closing = (character == "{" ? "}" : "]") as Character
            } else if character.isLetter {
                symbol.append(character)
            } else {
                common += capitalised(symbol)
                common.append(character)
                symbol = ""
            }
        }
        common += capitalised(symbol)
        return common.hasPrefix("1/") ? String(common.dropFirst()) : common
    }

    /// The litre with its capital, whatever prefix it has; any other symbol as it is.
    private static func capitalised(_ symbol: String) -> String {
        let end = symbol.firstIndex(of: "{") ?? symbol.endIndex
        let name = symbol[..<end]
        guard name.hasSuffix("l"), name == "l" || UCUMAtoms.prefixes.contains(String(name.dropLast())),
            name == "l" || !UCUMAtoms.metric.contains(String(name)) && !UCUMAtoms.plain.contains(String(name))
        else { return symbol }
        return String(name.dropLast()) + "L" + String(symbol[end...])
    }
}
