/// The characters that one step of a pattern consumes.
struct PatternClass: Sendable, Hashable {
    var ranges: [ClosedRange<UInt32>] = []
    /// Whether the class contains all letters of Unicode (`\p{L}`).
    var includesLetters = false
    /// Whether the class contains all numbers of Unicode (`\p{N}`).
    var includesNumbers = false
    var isNegated = false

    static let any = PatternClass(isNegated: true)
    static let digits = PatternClass(ranges: [48...57])
    static let words = PatternClass(ranges: [48...57, 65...90, 95...95, 97...122])
    static let spaces = PatternClass(ranges: [9...13, 32...32])

    /// The class of exactly one character.
    static func one(_ scalar: Unicode.Scalar) -> PatternClass {
        PatternClass(ranges: [scalar.value...scalar.value])
    }

    /// The class of all other characters.
    var negated: PatternClass {
        var other = self
        other.isNegated.toggle()
        return other
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isIn =
            ranges.contains { $0.contains(scalar.value) }
            || includesLetters && scalar.properties.isAlphabetic
            || includesNumbers && scalar.properties.numericType != nil
        return isIn != isNegated
    }
}
