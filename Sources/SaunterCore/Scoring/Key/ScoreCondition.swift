/// A test of an item, an earlier scale or a covariate. A band, an exclusion or a table row applies only if all its
/// conditions are true. A condition on a missing value is never true.
package struct ScoreCondition: Sendable, Hashable {
    /// What the value is compared with.
    package enum Test: Sendable, Hashable {
        /// The number is in this range. The number is the item's value, the score, or the covariate.
        case range(ScoreRange)
        /// The code is equal. The code is the chosen option as text, `true` or `false`, or the covariate.
        case code(String)
    }

    /// The linkId of an item, or the id of an earlier scale or of a covariate.
    package var name: String
    /// The comparison with the value of that name.
    package var test: Test

    /// - Parameter name: the linkId of an item, or the id of an earlier scale or of a covariate.
    package init(_ name: String, _ test: Test) {
        self.name = name
        self.test = test
    }

    /// Whether no value fulfils both conditions.
    func excludes(_ other: ScoreCondition) -> Bool {
        guard name == other.name else { return false }
        return switch (test, other.test) {
        case (.code(let one), .code(let other)): one != other
        case (.range(let one), .range(let other)): !ExactRange(one).overlaps(ExactRange(other))
        default: false
        }
    }
}

/// A reason why a scale has no score on a sheet. It applies if all conditions are true.
package struct ScoreExclusion: Sendable, Hashable {
    /// A `DefinitionName`. It is the `exclusion` of the null score.
    package var id: String
    /// The exclusion applies if all are true.
    package var conditions: [ScoreCondition]

    /// - Parameter conditions: at least one.
    package init(id: String, when conditions: [ScoreCondition]) {
        self.id = id
        self.conditions = conditions
    }
}
