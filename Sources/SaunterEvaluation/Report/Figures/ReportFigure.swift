import SaunterCore
import SaunterStatistics

/// One number of a report, with what it rests on, or why it is not there.
package struct ReportFigure: Sendable, Hashable {
    /// Such as `alpha`; see `ReportFigure.meanings`.
    package let name: String
    /// What became of missing answers, where answers are related to each other.
    package let missing: MissingData?
    /// On how many sheets, people or pairs it rests.
    package let count: Int?
    package let value: Estimate<Double>
    /// The ends of a 95 % interval.
    package let lower: Double?
    package let upper: Double?

    init(
        _ name: String, missing: MissingData? = nil, count: Int? = nil, _ value: Estimate<Double>,
        interval: ClosedRange<Double>? = nil
    ) {
        self.name = name
        self.missing = missing
        self.count = count
        self.value = value
        lower = interval?.lowerBound
        upper = interval?.upperBound
    }

    var json: JSON {
        [
            "figure": .string(name), "missing_data": .optional(missing) { .string($0.rawValue) },
            "n": .optional(count, JSON.int), "value": .optional(value.value, JSON.double),
            "lower": .optional(lower, JSON.double), "upper": .optional(upper, JSON.double),
            "why_not": .optional(value.gap) { .string($0.rawValue) },
        ]
    }
}

extension [ReportFigure] {
    /// The figure of a name, and of a treatment of missing answers where there are several.
    func first(_ name: String, _ missing: MissingData? = nil) -> ReportFigure? {
        first { $0.name == name && (missing == nil || $0.missing == missing) }
    }
}

extension ReportFigure {
    /// What each name means, in the order in which a reader meets them.
    static let meanings: [(name: String, meaning: String)] = [
        ("n", "values that are there"),
        ("missing", "values that are not there"),
        ("mean", "arithmetic mean"),
        ("sd", "standard deviation with n − 1"),
        ("min", "least value"),
        ("max", "greatest value"),
        ("skew", "m₃/s³ with s by n − 1 (type 3, as R's psych)"),
        ("floor", "share of values at the least possible one"),
        ("ceiling", "share of values at the greatest possible one"),
        ("alpha", "Cronbach's alpha from covariances, with Feldt's 95 % interval"),
        ("omega_total", "McDonald's omega total: one factor by minimum residuals, pairwise correlations"),
        ("mean_inter_item_r", "mean correlation between two items"),
        ("sem", "standard error of measurement: SD·√(1−α), α listwise"),
        ("item_total_r", "correlation of an item with the sum of the others"),
        ("alpha_if_dropped", "alpha of the other items"),
        ("test_retest_r", "Pearson's r between each person's first and second score"),
        ("icc_1_1", "ICC(1,1) of first and second score: one-way, single measurement"),
        ("icc_a_1", "ICC(A,1): two-way, absolute agreement, single measurement"),
        ("icc_c_1", "ICC(C,1): two-way, consistency, single measurement"),
        ("error_of_difference", "√2·SEM: how far two scores of an unchanged person differ"),
        ("smallest_reliable_change", "1.96·√2·SEM (Jacobson and Truax)"),
        ("reliably_higher", "people whose last score is reliably above the first"),
        ("reliably_lower", "people whose last score is reliably below the first"),
        ("seconds", "median of seconds per sheet"),
        ("longest_run", "median of the longest run of equal answers in a sheet (longstring)"),
        ("within_sd", "median of the standard deviation within a sheet (IRV)"),
        ("even_odd", "median of the even-odd consistency, stepped up by Spearman and Brown"),
        ("mahalanobis", "median of the squared Mahalanobis distance D²"),
    ]
}
