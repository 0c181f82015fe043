/// A unit in UCUM's case-sensitive form, such as `/min`, `mm[Hg]` or `mg/dL`: symbols with prefixes and exponents,
/// whole numbers, products, quotients and brackets. An annotation in braces counts as 1, as in UCUM.
package struct UCUMUnit: Sendable, Hashable {
    /// The text of the unit.
    package let text: String

    /// The maximum number of characters.
    package static let maximumLength = 64

    /// Why a text is not a UCUM unit.
    package struct Fault: Error, Sendable, Hashable {
        /// The position of the fault in characters, from 1.
        package let position: Int
        /// The explanation for people, without a full stop.
        package let detail: String

        /// The sentence for a problem document.
        var sentence: String {
            "A unit must be in UCUM's case-sensitive form. At character \(position): \(detail)"
                + (detail.hasSuffix("?") ? "" : ".")
        }
    }

    /// Parses a unit.
    /// - Throws: a fault for a text that is not a unit, and for an unknown symbol.
    package init(_ text: String) throws(Fault) {
        if let byte = text.utf8.firstIndex(where: { !(0x21...0x7E).contains($0) }) {
            throw Fault(
                position: text.utf8.distance(from: text.startIndex, to: byte) + 1,
                detail: "a unit has only printable ASCII characters and no spaces" + Self.hint(text))
        }
        guard (1...Self.maximumLength).contains(text.utf8.count) else {
            throw Fault(position: 1, detail: "a unit has from 1 to \(Self.maximumLength) characters")
        }
        var reader = UCUMReader(text)
        do throws(Fault) {
            try reader.unit()
        } catch {
            throw Fault(position: error.position, detail: error.detail + Self.hint(text))
        }
        self.text = text
    }

    /// The probably intended unit, as the end of a sentence; empty without a suggestion.
    private static func hint(_ text: String) -> String {
        let lowercased = text.lowercased()
        // Letters alone may name a counted thing, such as cups. UCUM writes it as an annotation in braces.
        let annotation = text.allSatisfy { $0.isASCII && $0.isLetter } ? ["{\(text)}"] : []
        let meant =
            switch text {
            case "\u{B0}C", "\u{2103}": "Cel"
            case "\u{B0}F", "\u{2109}": "[degF]"
            default:
                UCUMAtoms.commonSpellings[lowercased]
                    ?? ([lowercased.replacing("^", with: ""), lowercased, "[\(text)]"] + annotation).first {
                        $0 != text && isValid($0)
                    }
            }
        return meant.map { "; did you mean \($0)?" } ?? ""
    }

    /// Whether the text is a unit.
    package static func isValid(_ text: String) -> Bool {
        guard (1...maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        var reader = UCUMReader(text)
        do throws(Fault) {
            try reader.unit()
            return true
        } catch {
            return false
        }
    }
}

extension UCUMUnit {
    /// Whether two texts are spellings of the same unit according to UCUM. The litre has the symbols `l` and `L`, and
    /// `1/x` is `/x`. Units of the same kind, such as `g` and `kg`, are different. A text that is not a unit only
    /// equals itself.
    package static func areEquivalent(_ one: String, _ other: String) -> Bool {
        one == other || isValid(one) && isValid(other) && normalised(one) == normalised(other)
    }

    /// Whether two texts are spellings of the same unit if annotations in braces count as 1: `{beats}/min` equals
    /// `/min`. If both texts have annotations, these must be equal, because `{cups}` are not `{pieces}`.
    package static func areEquivalentIgnoringAnnotations(_ one: String, _ other: String) -> Bool {
        if areEquivalent(one, other) { return true }
        guard one.contains("{") != other.contains("{"), isValid(one), isValid(other) else { return false }
        return areEquivalent(withoutAnnotations(one), withoutAnnotations(other))
    }

    /// Removes annotations. An annotation without a symbol becomes 1.
    private static func withoutAnnotations(_ text: String) -> String {
        var plain = ""
        var isAnnotation = false
        for character in text {
            switch character {
            case "{":
                isAnnotation = true
                if plain.last.map({ "/.(".contains($0) }) ?? true { plain.append("1") }
            case "}": isAnnotation = false
            default: if !isAnnotation { plain.append(character) }
            }
        }
        return plain
    }

    /// The normal form: the litre as `L`, and no 1 before the first slash. Annotations stay.
    private static func normalised(_ text: String) -> String {
        var result = ""
        var symbol = ""
        // The character that closes the current brace or bracket. Its content contains no symbols.
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
                result += withCapitalLitre(symbol)
                result.append(character)
                symbol = ""
            }
        }
        result += withCapitalLitre(symbol)
        return result.hasPrefix("1/") ? String(result.dropFirst()) : result
    }

    /// Replaces the litre's `l` by `L`, with any prefix. Returns other symbols unchanged.
    private static func withCapitalLitre(_ symbol: String) -> String {
        let end = symbol.firstIndex(of: "{") ?? symbol.endIndex
        let name = symbol[..<end]
        guard name.hasSuffix("l"), name == "l" || UCUMAtoms.prefixes.contains(String(name.dropLast())),
            name == "l" || !UCUMAtoms.metric.contains(String(name)) && !UCUMAtoms.plain.contains(String(name))
        else { return symbol }
        return String(name.dropLast()) + "L" + String(symbol[end...])
    }
}

/// Valid UCUM units that look like the common symbol of another unit. Authors rarely mean the UCUM unit.
extension UCUMUnit {
    /// Unit -> its meaning in UCUM, and the unit that authors usually mean.
    package static let ambiguous: [String: (meaning: String, meant: String)] = [
        "mph": ("milliphot, of light", "[mi_i]/h"), "ft": ("femtotonne, of mass", "[ft_i]"),
        "pt": ("picotonne, of mass", "[pt_us]"),
        "st": ("stere, of volume", "[stone_av]"), "ct": ("centitonne, of mass", "[car_m]"),
        "C": ("coulomb, of charge", "Cel"), "F": ("farad, of capacitance", "[degF]"),
    ]

    /// A warning about a unit that its author probably did not mean; nil for other units.
    package static func ambiguityWarning(_ text: String) -> String? {
        ambiguous[text].map { "\(text) is the \($0.meaning); did you mean \($0.meant)?" }
    }
}
