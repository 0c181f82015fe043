import SaunterCore
import SaunterStatistics

/// The scores of one scale in one arm.
package struct ArmReport: Sendable {
    /// The code of the arm, or its letter if the report is blinded.
    package let arm: String
    /// Nil if a sheet has no participant.
    package let participantCount: Int?
    /// The descriptive statistics of the scores.
    package let figures: [ReportFigure]
    /// The distribution in the bins of all arms; nil without scores.
    let histogram: Histogram?
    let weeks: [ScoreWeek]

    /// - Parameters:
    ///   - sheets: the sheets of the arm.
    ///   - range: the range of possible scores.
    ///   - histogram: the distribution of all arms.
    init(
        _ arm: String, _ sheets: [ReportSheet], scale: Int, range: ClosedRange<Double>?, histogram: Histogram?
    ) {
        let scores = sheets.map { $0.scores[scale] }
        let known = scores.compactMap(\.self)
        let pseudonyms = sheets.compactMap(\.pseudonym)
        self.arm = arm
        participantCount = pseudonyms.count == sheets.count ? Set(pseudonyms).count : nil
        figures = DescriptiveStatistics(scores, range: range).figures
        self.histogram = known.isEmpty ? nil : histogram?.counting(known)
        weeks = ScoreWeek.all(sheets, scale: scale)
    }

    var json: JSON {
        [
            "arm": .string(arm), "people": .optional(participantCount, JSON.int),
            "figures": .array(figures.map(\.json)), "histogram": .optional(histogram, \.json),
            "weeks": .array(weeks.map(\.json)),
        ]
    }
}
