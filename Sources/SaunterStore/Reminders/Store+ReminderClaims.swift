import Foundation
import Postgres
import SaunterCore

extension Store {
    /// The earliest instants at which reminders must be checked, one per participant. They may be in the past.
    package func listFirstRemindersDue(_ limit: Int = 1) async throws -> [Instant] {
        try await research.query(
            Statements.reminders["list_first_reminders_due"], ["limit_rows": .int(limit)]
        ).map {
            try $0.instant("next_reminder_at")
        }
    }

    /// Claims the reminders of one participant whose check is due. `decide` gets the locked state, and the reminders
    /// are claimed in the same transaction. So `decide` sees every sheet that was committed before the lock was taken,
    /// and no other worker can claim the same reminders.
    /// - Parameters:
    ///   - hasMail: false excludes participants whose only channel is mail.
    ///   - decide: chooses the reminders. If it throws, the check of this participant is postponed by one hour, so that
    ///     one fault does not delay the others. Then the error is rethrown.
    /// - Returns: nil if no check is due; a claim without a message if there is nothing to send.
    package func claimReminders(
        now: Instant, hasMail: Bool = true,
        decide: @Sendable (ParticipantState) async throws -> ReminderDecision
    ) async throws -> ReminderClaim? {
        // The id belongs to this call and not to an attempt. No other worker knows it, so it shows whether this
        // claim is stored when the response to the commit is lost.
        let message = MessageID(UUID())
        var locked: EnrolmentID?
        do {
            return try await claimReminders(
                as: message, locked: &locked, now: now, hasMail: hasMail, decide: decide)
        } catch let error as DatabaseError where error.isCommitUnknown {
            guard let locked else { throw error }
            return ReminderClaim(
                enrolment: locked, message: try await findClaim(message.uuid, of: message, locked))
        }
    }

    private func claimReminders(
        as message: MessageID, locked: inout EnrolmentID?, now: Instant, hasMail: Bool,
        decide: @Sendable (ParticipantState) async throws -> ReminderDecision
    ) async throws -> ReminderClaim? {
        let claim = try await research.writeRetrying { transaction -> Result<ReminderClaim, any Error>? in
            guard let id = try await claimDue(now: now, hasMail: hasMail, in: transaction) else { return nil }
            locked = id
            let query = ParticipantStateQuery(ids: [id], now: now)
            let results = try await transaction.pipeline(query.calls)
            guard let participant = try query.states(from: results)[id] else { return nil }
            let decision: ReminderDecision
            do {
                decision = try await decide(participant)
            } catch let error where !Self.isTemporary(error) {
                _ = try await transaction.query(
                    Statements.reminders["set_next_reminder"],
                    ["enrolment_id": .id(id), "next_reminder_at": .instant(now.adding(seconds: 3600))])
                return .failure(error)
            }
            var calls: [(Statement, Arguments)] = [
                (
                    Statements.reminders["set_next_reminder"],
                    ["enrolment_id": .id(id), "next_reminder_at": .instant(decision.next)]
                )
            ]
            if !decision.send.isEmpty || !decision.drop.isEmpty {
                calls.append(
                    (
                        Statements.reminders["insert_reminders"],
                        Self.parameters(decision, of: id, in: message, now: now)
                    ))
            }
            let inserted = try await transaction.pipeline(calls).dropFirst().first
            let keys = try inserted?.filter {
                try $0.get("state", as: String.self) == ReminderState.claimed.rawValue
            }.compactMap { try Self.key($0) }
            guard let keys, !keys.isEmpty else { return .success(ReminderClaim(enrolment: id)) }
            let expiry = decision.send.filter { keys.contains($0.key) }.map(\.expiresAt).max() ?? now
            return .success(
                ReminderClaim(
                    enrolment: id,
                    message: ReminderMessage(id: message, enrolment: id, keys: keys, expiresAt: expiry),
                    participant: participant))
        }
        return try claim?.get()
    }

    /// Whether the error is not caused by the participant's data. Then the check is retried when the database or the
    /// server is available again.
    static func isTemporary(_ error: any Error) -> Bool {
        error is CancellationError || (error as? DatabaseError).map { $0.isOutage || $0.isTransient } ?? false
    }

    private static func parameters(
        _ decision: ReminderDecision, of id: EnrolmentID, in message: MessageID, now: Instant
    ) -> Arguments {
        let reminders = decision.send + decision.drop
        let isSent = reminders.indices.map { $0 < decision.send.count }
        let head: Arguments = [
            "enrolment_id": .id(id), "message_id": .id(message), "claimed_at": .instant(now),
        ]
        let rest: Arguments = [
            "planned_ats": .instants(reminders.map(\.at)),
            "expires_ats": .instants(reminders.map(\.expiresAt)),
            "occasion_counts": .ints(reminders.map(\.occasions.count)),
            "states": .texts(isSent.map { ($0 ? ReminderState.claimed : .suppressed).rawValue }),
            "whys": .texts(isSent.map { $0 ? nil : SuppressionReason.dailyCap.rawValue }),
        ]
        return head + parameters(reminders.map(\.key)) + rest
    }

    /// Claims one message that is known not to have been sent and whose next attempt is due.
    /// - Parameter hasMail: false excludes messages that can be sent only by mail.
    package func claimRetry(now: Instant, hasMail: Bool = true) async throws -> ReminderMessage? {
        // If the response to the commit is lost, another worker may claim the message. This id shows whose claim is
        // stored.
        let claim = UUID()
        var claimed: ReminderMessage?
        do {
            return try await research.writeRetrying { transaction in
                claimed = try await Self.claimRetry(as: claim, now: now, hasMail: hasMail, in: transaction)
                return claimed
            }
        } catch let error as DatabaseError where error.isCommitUnknown {
            guard let claimed else { throw error }
            return try await findClaim(claim, of: claimed.id, claimed.enrolment)
        }
    }

    private static func claimRetry(
        as claim: UUID, now: Instant, hasMail: Bool, in transaction: Transaction
    ) async throws -> ReminderMessage? {
        let rows = try await transaction.query(
            Statements.reminders["claim_retry"],
            ["now": .instant(now), "claim_id": .uuid(claim), "has_mail": .bool(hasMail)])
        guard let first = rows.first else { return nil }
        let expiries = try rows.compactMap { try $0.instantOptional("expires_at") }
        return ReminderMessage(
            id: try first.id("message_id"), enrolment: try first.id("enrolment_id"),
            keys: try rows.compactMap { try Self.key($0) }, expiresAt: expiries.max() ?? now,
            channel: try channel(rows))
    }

    /// The channel of claimed reminders; nil if they have none.
    private static func channel(_ rows: Rows) throws -> ReminderChannel? {
        try rows.first?.getOptional("channel", as: String.self).flatMap { ReminderChannel(rawValue: $0) }
    }

    /// Finds out whether a claim is stored when the response to its commit was lost. Only the worker that made the
    /// claim knows its id. So if the claim is stored and this worker does not send the message, no worker sends it.
    /// - Parameter claim: the id of the claim; the id of the message for its first claim.
    /// - Returns: nil if no claim was stored, or another worker's claim.
    package func findClaim(
        _ claim: UUID, of message: MessageID, _ enrolment: EnrolmentID
    ) async throws -> ReminderMessage? {
        try await retryDuringOutage { try await confirmClaim(claim, of: message, enrolment) }
    }

    /// Finds the claim and confirms it. The locks wait for a commit that is still running: the lock of the enrolment
    /// for a first claim, the lock of the message for a retry. The claim is written and not only read, because only a
    /// write waits for a synchronous standby.
    private func confirmClaim(
        _ claim: UUID, of message: MessageID, _ enrolment: EnrolmentID
    ) async throws -> ReminderMessage? {
        try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.query(
                Statements.enrolments["lock_enrolments"], ["enrolment_ids": .ids([enrolment])])
            _ = try await transaction.query(
                Statements.reminders["lock_message"],
                ["enrolment_id": .id(enrolment), "message_id": .id(message)])
            let rows = try await transaction.query(
                Statements.reminders["confirm_claim"],
                ["enrolment_id": .id(enrolment), "message_id": .id(message), "claim_id": .uuid(claim)])
            guard !rows.isEmpty else { return nil }
            let expiries = try rows.compactMap { try $0.instantOptional("expires_at") }
            guard let expiry = expiries.max() else { return nil }
            return ReminderMessage(
                id: message, enrolment: enrolment, keys: try rows.compactMap { try Self.key($0) },
                expiresAt: expiry, channel: try Self.channel(rows))
        }
    }
}
