/// The active key for sheets of one questionnaire version, with data derived from it.
package struct ScoringRule: Sendable {
    /// The version that the participant answered.
    package let answered: Questionnaire
    /// The version of the same answer form whose key is active.
    package let keyed: Questionnaire
    /// Prepared from `keyed`.
    package let index: QuestionnaireIndex
    /// The version of the scoring key.
    package let keyVersion: String
    /// SHA-256 of the scoring key, in hexadecimal digits.
    package let keyDigest: String
    /// The covariates that the caller of the scoring engine passes.
    package let covariates: [Covariate]

    /// Returns nil if `keyed` has no key, or a key without scales.
    init?(of answered: Questionnaire, keyedBy keyed: Questionnaire) {
        guard let key = keyed.scoring, !key.scales.isEmpty else { return nil }
        self.answered = answered
        self.keyed = keyed
        index = QuestionnaireIndex(keyed)
        keyVersion = key.version
        keyDigest = key.digest
        covariates = key.givenCovariates
    }

    /// The ids of the scales, in the order of the key.
    package var scales: [String] { keyed.scoring?.scales.map(\.id) ?? [] }

    /// Whether the key is that of another version.
    package var usesSuccessorKey: Bool { answered.version != keyed.version }
}

extension ScoringKey {
    /// The covariates that the caller of the scoring engine passes: those from the profile and from the enrolment.
    package var givenCovariates: [Covariate] {
        covariates.filter { if case .item = $0.source { false } else { true } }
    }
}
