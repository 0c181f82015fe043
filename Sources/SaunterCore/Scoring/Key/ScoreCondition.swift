/// What must be true of an item, an earlier scale or a covariate for a band, an exclusion or a row of a table
/// to hold. Never true of a value that is not there.
package struct ScoreCondition: Sendable, Hashable {
    package enum Test: Sendable, Hashable {
        /// A number in this range: what an item counts, a score, a covariate.
        case range(ScoreRange)
        /// This code: the chosen option as it is written, `true` or `false`, a covariate.
        case code(String)
    }

    /// The linkId of an item, the id of an earlier scale or of a covariate.
    package var name: String
    package var test: Test

    /// - Parameter name: of an item, an earlier scale or a covariate.
    package init(_ name: String, _ test: Test) {
        self.name = name
        self.test = test
    }

    /// Whether no value can fulfil both.
    func excludes(_ other: ScoreCondition) -> Bool {
        guard name == other.name else { return false }
        return switch (test, other.test) {
        case (.code(let one), .code(let other)): one != other
        case (.range(let one), .range(let other)): !ExactRange(one).overlaps(ExactRange(other))
        default: false
        }
    }
}

/// A reason not to score a case, with its conditions: all must hold.
package struct Exclusion: Sendable, Hashable {
    /// A name as scales have them; it goes with the null score.
    package var id: String
    package var conditions: [ScoreCondition]

    package init(id: String, when conditions: [ScoreCondition]) {
        self.id = id
        self.conditions = conditions
    }
}
