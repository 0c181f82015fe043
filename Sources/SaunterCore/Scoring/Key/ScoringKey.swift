/// The versioned rule that computes scores from an answer sheet.
package struct ScoringKey: Sendable, Hashable {
    /// Three numbers, such as `1.0.0`.
    package var version: String
    /// In the order of computation: a scale may use earlier ones.
    package var scales: [Scale]
    /// Properties of the participant that the key needs besides the answers.
    package var covariates: [Covariate]
    /// The lookup and norm tables that the scales use.
    package var tables: [LookupTable]

    /// - Parameters: see the properties.
    package init(
        version: String, scales: [Scale], covariates: [Covariate] = [], tables: [LookupTable] = []
    ) {
        self.version = version
        self.scales = scales
        self.covariates = covariates
        self.tables = tables
    }
}
