import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Records an attempt to send these reminders of a message, and its outcome, in one transaction.
    /// - Returns: the number of attempts so far; 0 if the participant was erased concurrently.
    package func finish(
        _ message: ReminderMessage, _ keys: [ReminderKey], _ outcome: ReminderOutcome, channel: String,
        now: Instant
    ) async throws -> Int {
        let keyArguments = ["enrolment_id": .id(message.enrolment)] + Self.parameters(keys)
        return try await research.writeRetrying { transaction in
            let lock: (Statement, Arguments) = (
                Statements.reminders["lock_message"],
                ["enrolment_id": .id(message.enrolment), "message_id": .id(message.id)]
            )
            // Locks the enrolment before its messages, as claims and erasures do.
            let nextCheck = outcome.nextCheckAt.map {
                Self.scheduleCheckCall(at: $0, of: message.enrolment, now: now)
            }
            let locked = try await transaction.pipeline([nextCheck, lock].compactMap(\.self)).last
            guard locked?.isEmpty == false else { return 0 }
            var calls = Self.attemptCalls(
                message.enrolment, keyArguments, outcome, channel: channel, now: now)
            let outcomeArguments: Arguments = [
                "state": .text(outcome.state.rawValue), "why": .text(outcome.why),
                "next_attempt_at": .instant(outcome.nextAttemptAt),
                "sent_at": .instant(outcome.state == .sent ? now : nil),
            ]
            calls.append((Statements.reminders["finish_reminders"], keyArguments + outcomeArguments))
            let results = try await transaction.pipeline(calls)
            return try results[0].map { try $0.get("attempt", as: Int.self) }.max() ?? 0
        }
    }

    /// The longest time in seconds that a worker needs from the start of an event, such as a delivery, to its commit.
    private static let maximumWorkSeconds = 900

    /// The call that moves the next check of a participant's reminders to this instant, unless the check is already
    /// planned for an earlier one. It does nothing for a participant without reminders.
    static func scheduleCheckCall(
        at moment: Instant, of id: EnrolmentID, now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.reminders["check_earlier"],
            [
                "enrolment_id": .id(id), "at": .instant(moment),
                "soon": .instant(now.adding(seconds: maximumWorkSeconds)),
            ]
        )
    }

    /// Records a final failure on one channel, before another channel is tried. The reminders stay claimed.
    package func recordFailedAttempt(
        _ message: ReminderMessage, _ keys: [ReminderKey], _ outcome: ReminderOutcome, channel: String,
        now: Instant
    ) async throws {
        let keyArguments = ["enrolment_id": .id(message.enrolment)] + Self.parameters(keys)
        try await research.writeRetrying { transaction in
            let locked = try await transaction.query(
                Statements.reminders["lock_message"],
                ["enrolment_id": .id(message.enrolment), "message_id": .id(message.id)])
            guard !locked.isEmpty else { return }
            _ = try await transaction.pipeline(
                Self.attemptCalls(message.enrolment, keyArguments, outcome, channel: channel, now: now))
        }
    }

    /// Releases a claimed message without an attempt. It can be claimed again at the given instant.
    package func deferMessage(_ message: ReminderMessage, _ keys: [ReminderKey], until moment: Instant)
        async throws
    {
        let keyArguments = ["enrolment_id": .id(message.enrolment)] + Self.parameters(keys)
        let outcomeArguments: Arguments = [
            "state": .text(ReminderState.retrying.rawValue),
            "why": .text(DeliveryFault.temporaryFailure.rawValue),
            "next_attempt_at": .instant(moment), "sent_at": .instant(nil),
        ]
        try await research.writeRetrying { transaction in
            let locked = try await transaction.query(
                Statements.reminders["lock_message"],
                ["enrolment_id": .id(message.enrolment), "message_id": .id(message.id)])
            guard !locked.isEmpty else { return }
            _ = try await transaction.query(
                Statements.reminders["finish_reminders"], keyArguments + outcomeArguments)
        }
    }

    /// The calls that record an attempt and update the number of failures of the channel.
    private static func attemptCalls(
        _ id: EnrolmentID, _ keyArguments: Arguments, _ outcome: ReminderOutcome, channel: String,
        now: Instant
    ) -> [(Statement, Arguments)] {
        let attempt: Arguments = [
            "channel": .text(channel), "now": .instant(now),
            "outcome": .text(outcome.why ?? outcome.state.rawValue),
            "reply_code": .int(outcome.replyCode),
        ]
        return [(Statements.reminders["insert_reminder_attempts"], keyArguments + attempt)]
            + channelCalls(id, channel, outcome, now: now)
    }

    /// After this many consecutive failures a channel counts as unreachable for the participant.
    static let maximumFailures = 3

    /// The calls that count or reset the failures of a channel. Only failures that concern this recipient are counted.
    private static func channelCalls(
        _ id: EnrolmentID, _ channel: String, _ outcome: ReminderOutcome, now: Instant
    ) -> [(Statement, Arguments)] {
        switch outcome.state {
        case .sent:
            [
                (
                    Statements.reminders["delete_channel_failures"],
                    ["enrolment_id": .id(id), "channel": .text(channel)]
                )
            ]
        case .failed where outcome.isRecipientFault:
            [
                (
                    Statements.reminders["record_channel_failure"],
                    [
                        "enrolment_id": .id(id), "channel": .text(channel), "now": .instant(now),
                        "maximum": .int(outcome.why == DeliveryFault.gone.rawValue ? 1 : maximumFailures),
                    ]
                )
            ]
        default: []
        }
    }

    /// The call that resets the failures of a channel, after the account has registered another address for it.
    static func resetFailuresCall(
        of account: AccountID, on channel: ReminderChannel
    ) -> (Statement, Arguments) {
        (
            Statements.reminders["delete_failures_of_account"],
            ["account_id": .id(account), "channel": .text(channel.rawValue)]
        )
    }

    /// The recorded attempts to send a claimed message, by channel. `isFinal`: the channel failed permanently.
    package func listAttempts(
        _ message: ReminderMessage
    ) async throws -> [String: (attempts: Int, isFinal: Bool)] {
        var found: [String: (attempts: Int, isFinal: Bool)] = [:]
        for row in try await research.query(
            Statements.reminders["list_message_attempts"],
            ["enrolment_id": .id(message.enrolment), "message_id": .id(message.id)])
        {
            found[try row.get("channel")] = (
                attempts: try row.get("attempts"), isFinal: try row.get("is_over")
            )
        }
        return found
    }

    /// Marks reminders as unknown whose worker died between claim and outcome. They may have been sent, so they are not
    /// sent again.
    /// - Returns: the number of reminders.
    package func markAbandonedReminders(claimedBefore: Instant) async throws -> Int {
        try await research.query(
            Statements.reminders["finish_abandoned_reminders"], ["claimed_before": .instant(claimedBefore)]
        ).count
    }

    /// The account of an enrolment with the address and name that a channel needs.
    package func findRecipient(of enrolment: EnrolmentID) async throws -> (
        account: AccountID, email: String?, isEmailVerified: Bool, name: String
    )? {
        let rows = try await clerk.query(
            Statements.accounts["find_account_of_enrolment"], ["enrolment_id": .id(enrolment)])
        guard let row = try rows.oneOrNone() else { return nil }
        let id: AccountID = try row.id("account_id")
        return (
            id,
            try row.getOptional("email_sealed", as: [UInt8].self).map {
                try secrets.open($0, "email", of: id)
            },
            try row.instantOptional("email_verified_at") != nil,
            try secrets.open(row.get("name_sealed"), "name", of: id)
        )
    }

    static func parameters(_ keys: [ReminderKey]) -> Arguments {
        [
            "kinds": .texts(keys.map(\.kind.rawValue)), "subjects": .texts(keys.map(\.subject)),
            "ordinals": .ints(keys.map(\.ordinal)),
        ]
    }

    /// Records what a device reports about a message. The earliest instant of each kind is kept.
    /// - Returns: the reminders of the message; empty if no message with this id was sent.
    package func confirm(
        _ message: MessageID, of id: EnrolmentID, deliveredAt: Instant?, openedAt: Instant?
    ) async throws -> [ReminderRecord] {
        try await research.writeRetrying(idempotent: true) { transaction in
            try await transaction.query(
                Statements.reminders["confirm_message"],
                [
                    "enrolment_id": .id(id), "message_id": .id(message),
                    "delivered_at": .instant(deliveredAt), "opened_at": .instant(openedAt),
                ]
            ).compactMap { try Self.reminder($0) }
        }
    }

    /// The channels on which these participants cannot be reached, and since when.
    package func listUnreachableChannels(
        of ids: [EnrolmentID]
    ) async throws -> [EnrolmentID: [(channel: String, since: Instant)]] {
        var found: [EnrolmentID: [(channel: String, since: Instant)]] = [:]
        for row in try await research.query(
            Statements.reminders["list_unreachable_channels"], ["enrolment_ids": .ids(ids)])
        {
            let id: EnrolmentID = try row.id("enrolment_id")
            let channel: String = try row.get("channel")
            found[id, default: []].append((channel, try row.instant("unreachable_since")))
        }
        return found
    }

    /// Nil for a kind that this version does not know.
    static func key(_ row: Row) throws -> ReminderKey? {
        guard let kind = ReminderKind(rawValue: try row.get("kind")) else { return nil }
        return ReminderKey(kind: kind, subject: try row.get("subject"), ordinal: try row.get("ordinal"))
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
}
