import Postgres
import SaunterCore

/// The participants of one arm and one stratum who enrolled on one local date. Excluded participants do not count.
package struct EnrolmentDay: Sendable, Hashable {
    package var arm: String
    /// The levels of the factors by which the study allocates arms; empty if it has none.
    package var stratum: String
    /// The participants' local date of the enrolment.
    package var date: LocalDate
    /// Those who stopped included.
    package var enrolled: Int
    /// Participants who have not stopped.
    package var active: Int
    /// The active ones for whom the last day of the study is over.
    package var finished: Int
    package var stopped: Int

    package init(
        arm: String, stratum: String, date: LocalDate, enrolled: Int, active: Int, finished: Int, stopped: Int
    ) {
        self.arm = arm
        self.stratum = stratum
        self.date = date
        self.enrolled = enrolled
        self.active = active
        self.finished = finished
        self.stopped = stopped
    }
}

extension Store {
    /// The participants of a study by arm, stratum and local date of enrolment, sorted by date.
    /// - Parameter days: the number of the last day of the study; the day of the enrolment is day 0.
    package func countEnrolmentsByDay(
        _ study: String, days: Int, at now: Instant
    ) async throws -> [EnrolmentDay] {
        try await export.query(
            Statements.monitoring["count_enrolments_by_day"],
            [
                "study": .text(study), "now": .instant(now), "days": .int4(Int32(clamping: days)),
            ]
        ).map { row in
            EnrolmentDay(
                arm: try row.get("arm"), stratum: try row.get("stratum"),
                date: try row.localDate("enrolled_on"), enrolled: try row.get("enrolled"),
                active: try row.get("active"), finished: try row.get("finished"),
                stopped: try row.get("stopped"))
        }
    }
}
