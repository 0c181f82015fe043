import SaunterCore
import SaunterStatistics

/// One number of a report with the number of values that it is based on, or the reason why it is undefined.
package struct ReportFigure: Sendable, Hashable {
    /// For example `alpha`; see `ReportFigure.meanings`.
    package let name: String
    /// The treatment of missing answers, for figures that relate answers to each other.
    package let missing: MissingData?
    /// The number of sheets, participants or pairs that it is based on.
    package let count: Int?
    /// The value, or the reason why it is undefined.
    package let value: Estimate<Double>
    /// The lower end of the 95 % interval; nil if the interval is undefined or not computed.
    package let lower: Double?
    /// The upper end of the 95 % interval; nil if the interval is undefined or not computed.
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
            "why_not": .optional(value.undefined) { .string($0.rawValue) },
        ]
    }
}

extension [ReportFigure] {
    /// The figure with a name, and with a treatment of missing answers if there are several.
    func first(_ name: String, _ missing: MissingData? = nil) -> ReportFigure? {
        first { $0.name == name && (missing == nil || $0.missing == missing) }
    }
}

extension ReportFigure {
    /// The meaning of each name, in the order of the report.
    static let meanings: [(name: String, meaning: String)] = [
        ("n", "number of values"),
        ("missing", "number of missing values"),
        ("mean", "arithmetic mean"),
        ("sd", "standard deviation with n − 1"),
        ("min", "smallest value"),
        ("max", "largest value"),
        ("skew", "skewness m₃/s³, s computed with n − 1 (type 3, as in the R package psych)"),
        ("floor", "share of values that are the smallest possible value"),
        ("ceiling", "share of values that are the largest possible value"),
        ("alpha", "Cronbach's alpha from covariances, with Feldt's 95 % interval"),
        (
            "omega_total",
            "McDonald's omega total of standardised items: one factor by minimum residuals, pairwise correlations"
        ),
        (
            "omega_total_raw",
            "McDonald's omega total of the items in their own metric: the same loadings, pairwise covariances"
        ),
        ("mean_inter_item_r", "mean correlation between two items"),
        ("sem", "standard error of measurement: SD·√(1−α), α listwise"),
        ("item_total_r", "correlation of an item with the sum of the others"),
        ("alpha_if_dropped", "alpha of the other items"),
        ("test_retest_r", "Pearson's r between the first and second score of each participant"),
        ("icc_1_1", "ICC(1,1) of first and second score: one-way, single measurement"),
        ("icc_a_1", "ICC(A,1): two-way, absolute agreement, single measurement"),
        ("icc_c_1", "ICC(C,1): two-way, consistency, single measurement"),
        (
            "variance_between",
            "variance between participants, from a model with a random intercept only (REML)"
        ),
        ("variance_within", "variance of the scores of one participant, from the same model"),
        ("icc_null_model", "share of the variance between participants in the same model; uses all scores"),
        (
            "reliability_rkf",
            "RkF of Cranford et al. (2006): reliability of the mean of a participant over the same occasions. RkF, RkR and Rc use complete sheets and the design of participants, occasions and items with the most sheets; an occasion is the first, second, … sheet of each participant"
        ),
        ("reliability_rkr", "RkR: the same if the occasions are a sample of possible occasions"),
        ("reliability_rc", "Rc: reliability of changes within a participant between occasions"),
        ("reliability_occasions", "number of occasions of RkF, RkR and Rc"),
        ("error_of_difference", "√2·SEM: standard error of the difference between two scores"),
        ("smallest_reliable_change", "1.96·√2·SEM (Jacobson and Truax)"),
        ("reliably_higher", "participants whose last score is reliably above the first"),
        ("reliably_lower", "participants whose last score is reliably below the first"),
        ("seconds", "median of seconds per sheet"),
        (
            "longest_run",
            "median of the longest run of equal answers in a sheet (longstring); only if all items have the same range"
        ),
        (
            "within_sd",
            "median of the standard deviation within a sheet (IRV); only if all items have the same range"
        ),
        ("even_odd", "median of the even-odd consistency, corrected with the Spearman-Brown formula"),
        ("mahalanobis", "median of the squared Mahalanobis distance D²"),
        ("allocated", "participants who were allocated to the arm and not erased"),
        ("stopped", "of these, participants who stopped"),
        ("excluded", "of these, participants who were excluded"),
        ("analysed", "of these, participants with at least one sheet in the report"),
        ("erased", "participants whose data were erased; their arm is not stored"),
        ("enrolled", "allocated and erased participants"),
    ]
}
