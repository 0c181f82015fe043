import Postgres
import SaunterCore

/// The numbers of a study that its team sees first. Excluded participants do not count.
package struct StudyNumbers: Sendable, Hashable {
    /// Participants, those who stopped included.
    package var enrolled = 0
    /// Participants who take part now.
    package var active = 0
    /// Occasions of today, by the local date of each participant. Cancelled and paused ones count only if they are
    /// answered.
    package var dueToday = 0
    /// The answered ones of these occasions.
    package var answeredToday = 0
    /// Those that were answered late.
    package var lateToday = 0
    /// The unanswered ones whose window is open now.
    package var openToday = 0
    /// The newest completion of an answer sheet, or the newest end of a walk, since yesterday; nil if there is none.
    package var lastRecordAt: Instant?
    /// Whether occasions have closed since yesterday, and there is no record since then.
    package var isSilent = false

    /// The numbers of a study without participants.
    package init() {}
}

extension Store {
    /// The numbers of studies by code. A study without participants is absent.
    package func countStudies(_ studies: [String], at now: Instant) async throws -> [String: StudyNumbers] {
        guard !studies.isEmpty else { return [:] }
        // A local date differs from the date in UTC by at most one day.
        let today = Zone.utc.local(of: now).date
        let rows = try await export.query(
            Statements.monitoring["count_studies"],
            [
                "studies": .texts(studies), "now": .instant(now),
                "from_date": .localDate(today.adding(days: -1)),
                "to_date": .localDate(today.adding(days: 1)),
            ])
        var found: [String: StudyNumbers] = [:]
        for row in rows {
            var numbers = StudyNumbers()
            numbers.enrolled = try row.get("enrolled")
            numbers.active = try row.get("active")
            numbers.dueToday = try row.get("due")
            numbers.answeredToday = try row.get("answered")
            numbers.lateToday = try row.get("late")
            numbers.openToday = try row.get("open")
            numbers.lastRecordAt = try row.instantOptional("last_record_at")
            numbers.isSilent = try row.get("is_silent")
            found[try row.get("study")] = numbers
        }
        return found
    }

    /// The number of open alerts by study. A study without any is absent.
    package func countOpenAlerts(of studies: [String]) async throws -> [String: Int] {
        guard !studies.isEmpty else { return [:] }
        let rows = try await export.query(
            Statements.monitoring["count_open_alerts"], ["studies": .texts(studies)])
        return Dictionary(
            try rows.map { (try $0.get("study", as: String.self), try $0.get("alerts", as: Int.self)) },
            uniquingKeysWith: { first, _ in first })
    }
}
