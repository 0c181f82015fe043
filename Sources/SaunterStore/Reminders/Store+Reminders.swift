import Foundation
import Postgres
import SaunterCore

/// Which reminder: unique for all time.
package struct ReminderKey: Sendable, Hashable {
    package var enrolment: EnrolmentID
    package var kind: String
    /// The local date of a due-today mail.
    package var subject: String
    package var ordinal: Int

    package init(enrolment: EnrolmentID, kind: String, subject: String, ordinal: Int) {
        self.enrolment = enrolment
        self.kind = kind
        self.subject = subject
        self.ordinal = ordinal
    }
}

/// What to do for a participant whose reminder hour has come.
package struct ReminderPlan: Sendable {
    /// The next hour; nil when there will be none.
    package var next: Instant?
    /// The local date and how many occasions are due; nil when nothing is to be sent.
    package var send: (subject: String, count: Int)?

    package init(next: Instant?, send: (subject: String, count: Int)?) {
        self.next = next
        self.send = send
    }
}

/// How a claimed reminder ended.
package struct ReminderOutcome: Sendable {
    /// `sent`, `retrying`, `failed`, `unknown` or `suppressed`.
    package var state: String
    package var why: String?
    package var nextAttemptAt: Instant?
    package var replyCode: Int?

    package init(state: String, why: String? = nil, nextAttemptAt: Instant? = nil, replyCode: Int? = nil) {
        self.state = state
        self.why = why
        self.nextAttemptAt = nextAttemptAt
        self.replyCode = replyCode
    }
}

extension Store {
    /// Takes one participant whose hour has come, lets `decide` look at the locked state, and claims the reminder in the same transaction: a sheet
    /// that was committed before is seen, and no other worker can claim it again.
    /// - Parameter decide: when it throws, this participant is put off by an hour, so that one fault cannot keep the others waiting; then the
    ///   error is passed on.
    /// - Returns: nil when nobody's hour has come; a key of nil when there was nothing to send.
    package func claimReminder(
        now: Instant, decide: @Sendable (Participation) async throws -> ReminderPlan
    ) async throws -> (enrolment: EnrolmentID, key: ReminderKey?)? {
        let claim = try await research.writeRetrying { transaction -> Result<ReminderClaim, any Error>? in
            guard let id = try await claimDue(now: now, in: transaction) else { return nil }
            let results = try await transaction.pipeline(Self.participationCalls(id, now: now))
            guard let participation = try Self.participation(results) else { return nil }
            let plan: ReminderPlan
            do {
                plan = try await decide(participation)
            } catch let error where !Self.isPassing(error) {
                _ = try await transaction.query(
                    Statements.reminders["set_next_reminder"], [.id(id), .instant(now.adding(seconds: 3600))])
                return .failure(error)
            }
            _ = try await transaction.query(
                Statements.reminders["set_next_reminder"], [.id(id), .instant(plan.next)])
            guard let send = plan.send else { return .success((id, nil)) }
            let key = ReminderKey(enrolment: id, kind: "due_today", subject: send.subject, ordinal: 1)
            let inserted = try await transaction.query(
                Statements.reminders["insert_reminder"],
                Self.parameters(key) + [
                    .instant(participation.enrolment.nextReminderAt ?? now), .instant(now), .int(send.count),
                    .text("claimed"), .text(nil),
                ])
            return .success((id, inserted.isEmpty ? nil : key))
        }
        return try claim?.get()
    }

    private typealias ReminderClaim = (enrolment: EnrolmentID, key: ReminderKey?)

    /// Not the participant's fault: it is their turn again when the database or the server is back.
    private static func isPassing(_ error: any Error) -> Bool {
        error is CancellationError || (error as? DatabaseError).map { $0.isOutage || $0.isTransient } ?? false
    }

    /// Takes one reminder that surely was not sent and whose back-off is over.
    package func claimRetry(now: Instant) async throws -> ReminderKey? {
        let rows = try await research.query(Statements.reminders["claim_retry"], [.instant(now)])
        guard let row = try rows.oneOrNone() else { return nil }
        return ReminderKey(
            enrolment: try row.id("enrolment_id"), kind: try row.get("kind"), subject: try row.get("subject"),
            ordinal: try row.get("ordinal"))
    }

    /// Records an attempt and what it means for the reminder, in one transaction.
    /// - Returns: how many attempts there were; 0 when the participant was erased meanwhile.
    package func finish(
        _ key: ReminderKey, _ outcome: ReminderOutcome, channel: String, now: Instant
    ) async throws -> Int {
        try await research.writeRetrying { transaction in
            let locked = try await transaction.query(
                Statements.reminders["lock_reminder"], Self.parameters(key))
            guard !locked.isEmpty else { return 0 }
            let results = try await transaction.pipeline([
                (
                    Statements.reminders["insert_reminder_attempt"],
                    Self.parameters(key) + [
                        .text(channel), .instant(now), .text(outcome.why ?? outcome.state),
                        .int(outcome.replyCode),
                    ]
                ),
                (
                    Statements.reminders["finish_reminder"],
                    Self.parameters(key) + [
                        .text(outcome.state), .text(outcome.why), .instant(outcome.nextAttemptAt),
                    ]
                ),
            ])
            return try results[0].one().get("attempt")
        }
    }

    /// Attempts that were recorded so far.
    package func countAttempts(_ key: ReminderKey) async throws -> Int {
        try await research.query(Statements.reminders["count_reminder_attempts"], Self.parameters(key)).one()
            .get("attempts")
    }

    /// Reminders of workers that died between claim and outcome: they may have gone out, so they are not sent again.
    package func settleAbandonedReminders(claimedBefore: Instant) async throws -> Int {
        try await research.query(
            Statements.reminders["settle_abandoned_reminders"], [.instant(claimedBefore)]
        ).count
    }

    /// The person behind an enrolment, for the channel that reaches them.
    package func findRecipient(of enrolment: EnrolmentID) async throws -> (
        account: AccountID, email: String, name: String
    )? {
        let rows = try await clerk.query(Statements.accounts["find_account_of_enrolment"], [.id(enrolment)])
        guard let row = try rows.oneOrNone() else { return nil }
        let id: AccountID = try row.id("account_id")
        return (
            id, try secrets.open(row.get("email_sealed"), "email", of: id),
            try secrets.open(row.get("name_sealed"), "name", of: id)
        )
    }

    private static func parameters(_ key: ReminderKey) -> [Parameter] {
        [.id(key.enrolment), .text(key.kind), .text(key.subject), .int(key.ordinal)]
    }
}
