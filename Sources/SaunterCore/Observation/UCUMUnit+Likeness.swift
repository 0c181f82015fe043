extension UCUMUnit {
    /// Whether two texts are spellings of one unit, by what UCUM itself says: the litre has the symbols `l` and `L`, and `1/x` is `/x`. Units that merely
    /// measure the same, such as `g` and `kg`, are different ones. What is no unit is like nothing but itself.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || isOne(one) && isOne(other) && common(one) == common(other)
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
