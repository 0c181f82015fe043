import Postgres
import SaunterCore

/// Why an occasion cannot be snoozed: it does not exist; it is answered, closed or excluded; the instant is outside its
/// window; it was snoozed too often.
package enum SnoozeRefusal: Error {
    case unknownOccasion, settled, outsideWindow, tooOften
}

extension Store {
    /// How often an occasion can be snoozed.
    package static let maximumSnoozes = 10

    /// Snoozes an occasion until an instant within its window, and plans a reminder for that instant. The same instant
    /// again changes nothing.
    /// - Throws: `ConcurrentErasure`, `SnoozeRefusal`.
    package func snooze(
        _ occasion: OccasionID, of id: EnrolmentID, until: Instant, study: Study, now: Instant
    ) async throws {
        try await research.writeRetrying(idempotent: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let results = try await transaction.pipeline([
                (
                    Statements.occasions["find_occasion"],
                    ["enrolment_id": .id(id), "occasion_id": .id(occasion)]
                ),
                (Statements.reminders["list_snoozes"], ["enrolment_ids": .ids([id])]),
            ])
            guard let found = try results[0].oneOrNone().map({ try Self.occasion($0) }) else {
                throw SnoozeRefusal.unknownOccasion
            }
            let earlier = try results[1].map { try Self.storedSnooze($0) }.filter { $0.occasion == occasion }
            if earlier.last?.until == until { return }
            guard !found.isAnswered, found.exclusion == nil, now < found.window.closeAt else {
                throw SnoozeRefusal.settled
            }
            // No reminder is sent before the window opens, so a snooze until an earlier instant would have no effect.
            guard until > now, until >= found.window.openAt, until < found.window.closeAt else {
                throw SnoozeRefusal.outsideWindow
            }
            guard earlier.count < Self.maximumSnoozes else { throw SnoozeRefusal.tooOften }
            _ = try await transaction.query(
                Statements.reminders["insert_snooze"],
                [
                    "enrolment_id": .id(id), "occasion_id": .id(occasion), "ordinal": .int(earlier.count + 1),
                    "asked_at": .instant(now), "until_at": .instant(until),
                ])
            _ = try await replan(enrolment, study: study, now: now, in: transaction)
        }
    }

    static func storedSnooze(_ row: Row) throws -> Snooze {
        Snooze(
            occasion: try row.id("occasion_id"), ordinal: try row.get("ordinal"),
            askedAt: try row.instant("asked_at"), until: try row.instant("until_at"))
    }
}
