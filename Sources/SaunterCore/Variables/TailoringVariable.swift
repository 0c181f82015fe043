/// A named value that the server computes from one participant's own data (`variables.yaml`).
package struct TailoringVariable: Sendable, Hashable {
    /// The name, unique among the study's variables and covariates.
    package var id: String

    package init(id: String) {
        self.id = id
    }
}
