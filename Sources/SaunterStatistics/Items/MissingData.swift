/// The treatment of missing answers when items are related to each other. The three treatments have different results,
/// so each statistic states its treatment.
package enum MissingData: String, Sendable, Hashable, CaseIterable {
    /// Sheets with a missing answer are excluded.
    case listwise
    /// Each pair of items uses the sheets that answer both items, as in R's `cov(use = "pairwise")`.
    case pairwise
    /// The median of the item replaces a missing answer, as in R's `psych::scoreItems` by default.
    case median = "median_imputed"
}
