import SaunterCore

/// One answer sheet as numbers, for a report.
struct ReportSheet: Sendable, Hashable {
    /// The id of the sheet, or its line in a table.
    var id: String
    /// The line in a table; nil for a stored sheet.
    var line: Int?
    /// The pseudonym; nil if the participant is not known.
    var pseudonym: String?
    /// The name of the arm in the report; nil if it is not known.
    var arm: String?
    /// Days since enrolment.
    var day: Int?
    /// The time from beginning to completion, in seconds.
    var seconds: Double?
    /// When the participant began the sheet.
    var startedAt: Instant?
    /// When the participant completed the sheet.
    var completedAt: Instant?
    /// The answers to the items of scales, in the order of the questionnaire, not reversed.
    var given: [Double?] = []
    /// The same answers by scale, reversed if the key says so.
    var keyed: [[Double?]] = []
    /// One score per scale; nil if its rule was not met.
    var scores: [Double?] = []
    /// Per scale, why it has no score; nil if it has one.
    var reasons: [ScoreReason?] = []

    /// The value of `seconds`. Nil if an instant is missing or if the end is before the beginning.
    static func seconds(from began: Instant?, to ended: Instant?) -> Double? {
        guard let began, let ended, ended >= began else { return nil }
        return Double(ended.milliseconds(since: began)) / 1000
    }
}
