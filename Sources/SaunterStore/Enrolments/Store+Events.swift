import Postgres
import SaunterCore

/// A named event of the study, with its current instant.
package struct EnrolmentEvent: Sendable, Hashable {
    /// The code of the event in the study.
    package var code: String
    /// The reported instant; it can be in the future.
    package var occurredAt: Instant
    /// When the present instant was reported, by the server's clock.
    package var recordedAt: Instant
}

/// The event already has an instant, and its rule does not permit the new one.
package struct ImmutableEvent: Error {
    /// The instant that stays valid.
    package var occurredAt: Instant
}

extension Store {
    /// Records the instant of a named event, in the past or the future, and replans the occasions that depend on it, in
    /// one transaction. The same instant again changes nothing.
    /// - Returns: the event, and whether it is new.
    /// - Throws: `ConcurrentErasure`, `ImmutableEvent`.
    package func record(
        _ event: StudyEvent, at moment: Instant, of id: EnrolmentID, study: Study, now: Instant
    ) async throws -> (event: EnrolmentEvent, isNew: Bool) {
        try await research.writeRetrying(idempotent: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let rows = try await transaction.query(
                Statements.enrolments["list_enrolment_events"], ["enrolment_ids": .ids([id])])
            let stored = try rows.map { try Self.event($0) }.first { $0.code == event.code }
            if let stored {
                if stored.occurredAt == moment { return (stored, false) }
                guard event.canMove(from: stored.occurredAt, to: moment) else {
                    throw ImmutableEvent(occurredAt: stored.occurredAt)
                }
            }
            _ = try await transaction.query(
                Statements.enrolments["insert_enrolment_event"],
                [
                    "enrolment_id": .id(id), "event": .text(event.code), "occurred_at": .instant(moment),
                    "now": .instant(now),
                ])
            _ = try await replan(enrolment, study: study, now: now, in: transaction)
            return (EnrolmentEvent(code: event.code, occurredAt: moment, recordedAt: now), stored == nil)
        }
    }

    /// The events of one participant, by code.
    package func listEvents(of id: EnrolmentID) async throws -> [EnrolmentEvent] {
        try await research.query(
            Statements.enrolments["list_enrolment_events"], ["enrolment_ids": .ids([id])]
        ).map {
            try Self.event($0)
        }
    }

    /// Reads a row of `list_enrolment_events`.
    static func event(_ row: Row) throws -> EnrolmentEvent {
        EnrolmentEvent(
            code: try row.get("event"), occurredAt: try row.instant("occurred_at"),
            recordedAt: try row.instant("recorded_at"))
    }
}
