/// The kinds of changes. The order of the cases orders mutants that begin at the same byte.
package enum MutationOperator: String, Codable, CaseIterable, Comparable, Sendable {
    /// `<` ↔ `<=`, `>` ↔ `>=`, `..<` ↔ `...`
    case boundary
    /// `==` ↔ `!=`, `<` ↔ `>=`, `>` ↔ `<=`
    case comparison
    /// `&&` ↔ `||`
    case logic
    /// `+` ↔ `-`, `+=` ↔ `-=`
    case arithmetic
    /// `true` ↔ `false`
    case boolean
    /// An integer literal plus one, and minus one unless it is 0.
    case integer
    /// `!condition` → `condition`
    case not
    /// A condition of `if` or `guard` → `true`. A binding such as `let x = y` has no such mutant.
    case forcedTrue = "forced-true"
    /// The list of conditions of an `if` or `guard` gets `false` as its first element.
    case forcedFalse = "forced-false"
    /// A call whose result is not used is removed.
    case call

    /// Binary operators and what replaces each of them.
    static func replacements(for binaryOperator: String) -> [(MutationOperator, String)] {
        switch binaryOperator {
        case "<": [(.boundary, "<="), (.comparison, ">=")]
        case "<=": [(.boundary, "<"), (.comparison, ">")]
        case ">": [(.boundary, ">="), (.comparison, "<=")]
        case ">=": [(.boundary, ">"), (.comparison, "<")]
        case "..<": [(.boundary, "...")]
        case "...": [(.boundary, "..<")]
        case "==": [(.comparison, "!=")]
        case "!=": [(.comparison, "==")]
        case "&&": [(.logic, "||")]
        case "||": [(.logic, "&&")]
        case "+": [(.arithmetic, "-")]
        case "-": [(.arithmetic, "+")]
        case "+=": [(.arithmetic, "-=")]
        case "-=": [(.arithmetic, "+=")]
        default: []
        }
    }

    package static func < (one: MutationOperator, other: MutationOperator) -> Bool {
        one.rank < other.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
