import Postgres
import SaunterCore

/// An occasion that cannot be put off: it is answered, over, set aside, or was put off too often; or not until then.
package enum SnoozeRefusal: Error {
    case unknownOccasion, settled, outsideWindow, tooOften
}

extension Store {
    /// So often an occasion is put off.
    package static let mostSnoozes = 10

    /// Puts an occasion off until a moment within its window, and plans the reminder then. The same moment again changes nothing.
    /// - Throws: `ErasedMeanwhile`, `SnoozeRefusal`.
    package func snooze(
        _ occasion: OccasionID, of id: EnrolmentID, until: Instant, study: Study, now: Instant
    ) async throws {
        try await research.writeRetrying(repeatable: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let results = try await transaction.pipeline([
                (Statements.occasions["find_occasion"], [.id(id), .id(occasion)]),
                (Statements.reminders["list_snoozes"], [.ids([id])]),
            ])
            guard let found = try results[0].oneOrNone().map({ try Self.occasion($0) }) else {
                throw SnoozeRefusal.unknownOccasion
            }
            let earlier = try results[1].map { try Self.storedSnooze($0) }.filter { $0.occasion == occasion }
            if earlier.last?.until == until { return }
            guard !found.isAnswered, found.setAside == nil, now < found.window.closeAt else {
                throw SnoozeRefusal.settled
            }
            // Before the window opens nothing is said of it, so that a snooze until then would come to nothing.
            guard until > now, until >= found.window.openAt, until < found.window.closeAt else {
                throw SnoozeRefusal.outsideWindow
            }
            guard earlier.count < Self.mostSnoozes else { throw SnoozeRefusal.tooOften }
            _ = try await transaction.query(
                Statements.reminders["insert_snooze"],
                [.id(id), .id(occasion), .int(earlier.count + 1), .instant(now), .instant(until)])
            _ = try await replan(enrolment, study: study, now: now, in: transaction)
        }
    }

    /// Notes what a device says of a message; the first word holds.
    /// - Returns: the message's reminders; empty when nothing of that name went out.
    package func confirm(
        _ message: MessageID, of id: EnrolmentID, deliveredAt: Instant?, openedAt: Instant?
    ) async throws -> [ReminderRecord] {
        try await research.writeRetrying(repeatable: true) { transaction in
            try await transaction.query(
                Statements.reminders["confirm_message"],
                [.id(id), .id(message), .instant(deliveredAt), .instant(openedAt)]
            ).compactMap { try Self.reminder($0) }
        }
    }

    /// The channels by which these people cannot be reached, and since when.
    package func listUnreachableChannels(
        of ids: [EnrolmentID]
    ) async throws -> [EnrolmentID: [(channel: String, since: Instant)]] {
        var found: [EnrolmentID: [(channel: String, since: Instant)]] = [:]
        for row in try await research.query(Statements.reminders["list_unreachable_channels"], [.ids(ids)]) {
            let id: EnrolmentID = try row.id("enrolment_id")
            let channel: String = try row.get("channel")
            found[id, default: []].append((channel, try row.instant("unreachable_since")))
        }
        return found
    }

    /// Nil for a kind that this program does not know.
    static func key(_ row: Row) throws -> PromptKey? {
        guard let kind = PromptKind(rawValue: try row.get("kind")) else { return nil }
        return PromptKey(kind: kind, subject: try row.get("subject"), ordinal: try row.get("ordinal"))
    }

    static func reminder(_ row: Row) throws -> ReminderRecord? {
        guard let key = try key(row) else { return nil }
        let state: String = try row.get("state")
        return ReminderRecord(
            key: key, message: try row.id("message_id"), plannedAt: try row.instant("planned_at"),
            claimedAt: try row.instant("claimed_at"),
            isUnsent: state == "suppressed" || state == "failed", isRetrying: state == "retrying",
            sentAt: try row.instantOptional("sent_at"),
            deliveredAt: try row.instantOptional("delivered_at"),
            openedAt: try row.instantOptional("opened_at"))
    }

    static func storedSnooze(_ row: Row) throws -> Snooze {
        Snooze(
            occasion: try row.id("occasion_id"), ordinal: try row.get("ordinal"),
            askedAt: try row.instant("asked_at"), until: try row.instant("until_at"))
    }
}
