import SaunterCore

/// The text of an enrolment code: 11 random symbols and a check symbol, in groups of four, such as `K7QF-2M9X-HD3E`.
///
/// The symbols are those of Crockford's base 32: digits and letters without I, L, O and U. A participant can type them
/// on a phone in upper or lower case, with any separators. I and L are read as 1, and O as 0.
package struct EnrolmentCodeSecret: Sendable, Hashable {
    /// 55 random bits, so that a code cannot be guessed.
    private static let randomSymbols = 11
    private static let groupLength = 4
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let values = Dictionary(
        uniqueKeysWithValues: alphabet.enumerated().map { ($1, $0) } + [("I", 1), ("L", 1), ("O", 0)])

    /// The code in groups, with hyphens. Only the study team and the participant may see it.
    package var text: String {
        stride(from: 0, to: symbols.count, by: Self.groupLength).map { start in
            String(symbols[start..<min(start + Self.groupLength, symbols.count)])
        }.joined(separator: "-")
    }

    /// The symbols without hyphens.
    var normalised: String { String(symbols) }

    private let secret: Secret<[Int]>
    private var symbols: [Character] { secret.revealed.map { Self.alphabet[$0] } }

    /// A new code from the system's random number generator.
    package static func make() -> EnrolmentCodeSecret {
        var generator = SystemRandomNumberGenerator()
        return EnrolmentCodeSecret((0..<randomSymbols).map { _ in Int.random(in: 0..<32, using: &generator) })
    }

    /// The code that a participant typed. Nil if the text cannot be a code: it has another number of symbols, another
    /// symbol, or a wrong check symbol.
    package init?(typed text: String) {
        var numbers: [Int] = []
        for character in text.uppercased() where !Self.isSeparator(character) {
            guard let value = Self.values[character], numbers.count <= Self.randomSymbols else { return nil }
            numbers.append(value)
        }
        guard numbers.count == Self.randomSymbols + 1, let given = numbers.popLast(),
            given == Self.checkSymbol(of: numbers)
        else { return nil }
        self.init(numbers)
    }

    private init(_ numbers: [Int]) {
        secret = Secret(numbers + [Self.checkSymbol(of: numbers)])
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || character == "." || character == "_" || character.isDash
    }

    /// The sum of the symbols in GF(32), each times another power of 2. It detects one wrong symbol, and two swapped
    /// neighbours.
    private static func checkSymbol(of numbers: [Int]) -> Int {
        numbers.reduce(0) { sum, number in doubled(sum ^ number) }
    }

    /// The product with 2 in GF(32), whose polynomial is x⁵ + x² + 1.
    private static func doubled(_ value: Int) -> Int {
        let product = value << 1
        return product < 32 ? product : product ^ 0b100101
    }
}

extension Character {
    /// Whether the character is a hyphen, or one of the dashes that keyboards replace it with.
    fileprivate var isDash: Bool { "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}".contains(self) }
}
