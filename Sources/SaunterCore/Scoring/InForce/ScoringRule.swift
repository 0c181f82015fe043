/// The key by which sheets of one questionnaire version are scored now, and everything derived from it once.
package struct ScoringRule: Sendable {
    /// The version that was answered.
    package let answered: Questionnaire
    /// The version of the same answer form whose key is in force.
    package let keyed: Questionnaire
    package let index: QuestionnaireIndex
    package let keyVersion: String
    package let keyDigest: String
    /// Covariates that whoever scores gives.
    package let covariates: [Covariate]

    /// Nil where the other has no key.
    init?(of answered: Questionnaire, keyedBy keyed: Questionnaire) {
        guard let key = keyed.scoring, !key.scales.isEmpty else { return nil }
        self.answered = answered
        self.keyed = keyed
        index = QuestionnaireIndex(keyed)
        keyVersion = key.version
        keyDigest = key.digest
        covariates = key.givenCovariates
    }

    /// Ids of its scales, in the key's order.
    package var scales: [String] { keyed.scoring?.scales.map(\.id) ?? [] }

    /// Whether another version's key stands in for the sheet's own.
    package var isSuccession: Bool { answered.version != keyed.version }
}

extension ScoringKey {
    /// Covariates that whoever scores gives: those of the profile and of the enrolment.
    package var givenCovariates: [Covariate] {
        covariates.filter { if case .item = $0.source { false } else { true } }
    }
}
