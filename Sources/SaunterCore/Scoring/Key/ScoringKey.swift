/// The versioned rule that turns an answer sheet into scores.
package struct ScoringKey: Sendable, Hashable {
    package var version: String
    package var scales: [Scale]
    /// What is asked of the person besides the answers.
    package var covariates: [Covariate]
    /// Lookup and norm tables that the scales name.
    package var tables: [LookupTable]

    package init(
        version: String, scales: [Scale], covariates: [Covariate] = [], tables: [LookupTable] = []
    ) {
        self.version = version
        self.scales = scales
        self.covariates = covariates
        self.tables = tables
    }
}
