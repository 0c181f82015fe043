/// A unit in the case-sensitive form of UCUM, such as `/min`, `mm[Hg]` or `mg/dL`.
///
/// The grammar is UCUM's; of its symbols those are known that sensors and clinical observations use. Words in braces are taken
/// as UCUM takes them: as 1.
package struct UCUMUnit: Sendable, Hashable {
    package let text: String

    package static let maximumLength = 64
    private static let maximumDepth = 8

    /// Nil for what is no unit, or holds a symbol that is not known.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        var reader = Reader(rest: Array(text.utf8)[...])
        guard reader.term(depth: 0), reader.rest.isEmpty else { return nil }
        self.text = text
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard let first = rest.first, first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// `/`? component ((`.` | `/`) component)*
        mutating func term(depth: Int) -> Bool {
            guard depth < UCUMUnit.maximumDepth else { return false }
            _ = skip("/")
            guard component(depth: depth) else { return false }
            while skip(".") || skip("/") {
                guard component(depth: depth) else { return false }
            }
            return true
        }

        private mutating func component(depth: Int) -> Bool {
            if skip("(") { return term(depth: depth + 1) && skip(")") }
            let digits = number()
            if digits > 0 {
                guard skip("*") || skip("^") else { return true }
                exponent()
                return true
            }
            let name = symbol()
            if name.isEmpty { return annotation() }
            guard UCUMUnit.isKnown(name) else { return false }
            exponent()
            _ = annotation()
            return true
        }

        private mutating func number() -> Int {
            let digits = rest.prefix { (48...57).contains($0) }.count
            rest = rest.dropFirst(digits)
            return digits
        }

        private mutating func exponent() {
            let before = rest
            _ = skip("+") || skip("-")
            if number() == 0 { rest = before }
        }

        /// `{…}`
        private mutating func annotation() -> Bool {
            guard rest.first == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")),
                !rest[..<end].dropFirst().contains(UInt8(ascii: "{"))
            else { return false }
            rest = rest[(end + 1)...]
            return true
        }

        /// Letters and the like, and what stands in brackets.
        private mutating func symbol() -> String {
            var name: [UInt8] = []
            while let byte = rest.first {
                if byte == UInt8(ascii: "[") {
                    guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return "" }
                    name += rest[...end]
                    rest = rest[(end + 1)...]
                } else if (65...90).contains(byte)
                    || (97...122).contains(byte) || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "'")
                    || byte == UInt8(ascii: "_")
                {
                    name.append(byte)
                    rest.removeFirst()
                } else {
                    break
                }
            }
            return String(decoding: name, as: UTF8.self)
        }
    }

    private static func isKnown(_ symbol: String) -> Bool {
        if plain.contains(symbol) || metric.contains(symbol) { return true }
        return prefixes.contains {
            symbol.hasPrefix($0) && metric.contains(String(symbol.dropFirst($0.count)))
        }
    }

    private static let prefixes = [
        "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "da", "d", "c", "m", "u", "n", "p", "f", "a", "z", "y",
    ]
    /// Symbols that take prefixes.
    private static let metric: Set<String> = [
        "m", "s", "g", "rad", "K", "cd", "C", "mol", "Hz", "N", "Pa", "J", "W", "A", "V", "F", "Ohm", "S",
        "Wb",
        "Cel", "T", "lm", "lx", "Bq", "Gy", "Sv", "L", "l", "bar", "eV", "B", "cal", "U", "[IU]", "[iU]",
        "kat", "t",
        "eq", "osm", "m[Hg]", "m[H2O]",
    ]
    private static let plain: Set<String> = [
        "min", "h", "d", "wk", "mo", "a", "%", "[ppth]", "[ppm]", "[pH]", "deg", "'", "''", "[degF]",
        "[in_i]",
        "[ft_i]", "[yd_i]", "[mi_i]", "[nmi_i]", "[kn_i]", "[lb_av]", "[oz_av]", "[stone_av]", "[Cal]",
        "[arb'U]",
        "[MET]", "B[SPL]", "dB[SPL]",
    ]
}
