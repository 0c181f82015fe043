import Foundation
import Postgres
import SaunterCore

/// A position in the list of enrolments, ordered by the end of their plan.
package struct PlanCursor: Sendable, Hashable {
    /// Among equal dates, after the enrolment with this id.
    package var enrolment: EnrolmentID
    /// The end of the plan of the last enrolment of the previous page.
    package var plannedThrough: LocalDate
}

extension Store {
    /// Reads the complete state in one round trip. Nil if there is no such enrolment.
    package func findParticipantState(_ id: EnrolmentID, now: Instant) async throws -> ParticipantState? {
        try await findParticipantStates(ParticipantStateQuery(ids: [id], now: now))[id]
    }

    /// Reads the states of many participants in one round trip.
    func findParticipantStates(
        _ query: ParticipantStateQuery
    ) async throws -> [EnrolmentID: ParticipantState] {
        try query.states(from: try await research.pipeline(query.calls))
    }

    /// Completed sheets of these questionnaires, in the order of completion.
    package func listCompletions(
        of id: EnrolmentID, questionnaires: Set<String>
    ) async throws -> [ParticipantState.Completion] {
        try await research.query(
            Statements.answerSheets["list_completions"],
            [
                "enrolment_ids": .ids([id]), "questionnaires": .texts(questionnaires.sorted()),
                "since": .instant(nil),
            ]
        ).map { try ParticipantState.completion($0) }
    }

    /// All stored occasions of one participant.
    package func listOccasions(of id: EnrolmentID) async throws -> [Occasion] {
        try await research.query(Statements.occasions["list_occasions"], ["enrolment_ids": .ids([id])])
            .map { try Self.occasion($0) }
    }

    /// The unanswered occasions of a schedule whose window contains an instant, by opening time.
    package func listOpenOccasions(
        of id: EnrolmentID, schedule: String, at moment: Instant
    ) async throws -> [Occasion] {
        try await research.query(
            Statements.occasions["list_open_occasions"],
            ["enrolment_id": .id(id), "schedule": .text(schedule), "at": .instant(moment)]
        ).map { try Self.occasion($0) }
    }

    /// Active enrolments whose plan ends before this date, the earliest end first, after the given cursor.
    package func listEnrolments(
        plannedBefore date: LocalDate, after cursor: PlanCursor? = nil, limit: Int
    ) async throws -> [PlanCursor] {
        try await research.query(
            Statements.enrolments["list_unplanned_enrolments"],
            [
                "through": .localDate(date),
                "after_date": .localDate(cursor?.plannedThrough ?? LocalDate(days: 0)),
                "after_id": .uuid(cursor?.enrolment.uuid ?? .first),
                "limit_rows": .int(limit),
            ]
        ).map {
            PlanCursor(
                enrolment: try $0.id("enrolment_id"), plannedThrough: try $0.localDate("planned_through"))
        }
    }

    /// Reads a row of `research.occasion`.
    static func occasion(_ row: Row) throws -> Occasion {
        Occasion(
            id: try row.id("occasion_id"),
            key: OccasionKey(
                schedule: try row.get("schedule"), anchorInstance: try row.get("anchor_instance"),
                dayIndex: try row.get("day_index"), slotIndex: try row.get("slot_index")),
            questionnaire: try row.get("questionnaire"), localDate: try row.localDate("local_date"),
            zone: try row.zone("zone"),
            window: AssessmentWindow(
                visibleAt: try row.instant("visible_at"), openAt: try row.instant("open_at"),
                dueAt: try row.instant("due_at"), closeAt: try row.instant("close_at")),
            isDSTAdjusted: try row.get("dst_adjusted"), exclusion: try row.valueOptional("set_aside"),
            completedAt: try row.instantOptional("completed_at"), sheetID: try row.idOptional("sheet_id"))
    }
}
