/// What becomes of missing answers where items are related to each other. The three give three different
/// numbers, so that each figure is named with its own.
package enum MissingData: String, Sendable, Hashable, CaseIterable {
    /// Sheets that lack an answer are left out.
    case listwise
    /// Each pair of items is related over the sheets that answer both, as `use = "pairwise"` of R's `cov`.
    case pairwise
    /// A missing answer becomes the median of its item, as R's `psych::scoreItems` does unless told.
    case median = "median_imputed"
}
