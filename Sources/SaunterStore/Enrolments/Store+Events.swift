import Postgres
import SaunterCore

/// A named event of the study as it holds now.
package struct EnrolmentEvent: Sendable, Hashable {
    package var code: String
    package var occurredAt: Instant
    package var recordedAt: Instant
}

/// The event has a moment already, and its rule does not admit this one.
package struct EventFixed: Error {
    package var occurredAt: Instant
}

extension Store {
    /// Notes when a named event happened, or will happen, and plans what counts from it, in one transaction. The
    /// same moment again changes nothing.
    /// - Returns: the event, and whether it is new.
    /// - Throws: `ErasedMeanwhile`, `EventFixed`.
    package func record(
        _ event: StudyEvent, at moment: Instant, of id: EnrolmentID, study: Study, now: Instant
    ) async throws -> (event: EnrolmentEvent, isNew: Bool) {
        try await research.writeRetrying(repeatable: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let rows = try await transaction.query(
                Statements.enrolments["list_enrolment_events"], [.ids([id])])
            let stored = try rows.map { try Self.event($0) }.first { $0.code == event.code }
            if let stored {
                if stored.occurredAt == moment { return (stored, false) }
                guard event.admits(moment, over: stored.occurredAt) else {
                    throw EventFixed(occurredAt: stored.occurredAt)
                }
            }
            _ = try await transaction.query(
                Statements.enrolments["insert_enrolment_event"],
                [.id(id), .text(event.code), .instant(moment), .instant(now)])
            _ = try await replan(enrolment, study: study, now: now, in: transaction)
            return (EnrolmentEvent(code: event.code, occurredAt: moment, recordedAt: now), stored == nil)
        }
    }

    /// The events of one participant, by code.
    package func listEvents(of id: EnrolmentID) async throws -> [EnrolmentEvent] {
        try await research.query(Statements.enrolments["list_enrolment_events"], [.ids([id])]).map {
            try Self.event($0)
        }
    }

    static func event(_ row: Row) throws -> EnrolmentEvent {
        EnrolmentEvent(
            code: try row.get("event"), occurredAt: try row.instant("occurred_at"),
            recordedAt: try row.instant("recorded_at"))
    }
}
