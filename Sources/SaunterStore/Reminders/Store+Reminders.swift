import Foundation
import Postgres
import SaunterCore

extension Store {
    /// The first moments at which people's reminders are to be looked at, one for each person, which may have passed.
    package func firstRemindersDue(_ limit: Int = 1) async throws -> [Instant] {
        try await research.query(Statements.reminders["list_first_reminders_due"], [.int(limit)]).map {
            try $0.instant("next_reminder_at")
        }
    }

    /// Takes one participant whose moment has come, lets `decide` look at the locked state, and claims the reminders in the same transaction: a
    /// sheet that was committed before is seen, and no other worker can claim them again.
    /// - Parameters:
    ///   - hasMail: false leaves those alone who take nothing but mail.
    ///   - decide: when it throws, this participant is put off by an hour, so that one fault cannot keep the others waiting; then the
    ///     error is passed on.
    /// - Returns: nil when nobody's moment has come; a message of nil when there was nothing to send.
    package func claimReminders(
        now: Instant, hasMail: Bool = true,
        decide: @Sendable (Participation) async throws -> ReminderDecision
    ) async throws -> ReminderClaim? {
        // Of the call, not of each attempt: nobody else knows it, so whether a lost commit came about can be asked for.
        let message = MessageID(UUID())
        var taken: EnrolmentID?
        do {
            return try await claimReminders(
                as: message, taken: &taken, now: now, hasMail: hasMail, decide: decide)
        } catch let error as DatabaseError where error.isCommitUnknown {
            guard let taken else { throw error }
            return ReminderClaim(
                enrolment: taken, message: try await findClaim(message.uuid, of: message, taken))
        }
    }

    private func claimReminders(
        as message: MessageID, taken: inout EnrolmentID?, now: Instant, hasMail: Bool,
        decide: @Sendable (Participation) async throws -> ReminderDecision
    ) async throws -> ReminderClaim? {
        let claim = try await research.writeRetrying { transaction -> Result<ReminderClaim, any Error>? in
            guard let id = try await claimDue(now: now, hasMail: hasMail, in: transaction) else { return nil }
            taken = id
            let reading = ParticipationReading(ids: [id], now: now)
            let results = try await transaction.pipeline(reading.calls)
            guard let participation = try reading.participations(results)[id] else { return nil }
            let decision: ReminderDecision
            do {
                decision = try await decide(participation)
            } catch let error where !Self.isPassing(error) {
                _ = try await transaction.query(
                    Statements.reminders["set_next_reminder"], [.id(id), .instant(now.adding(seconds: 3600))])
                return .failure(error)
            }
            var calls = [
                (Statements.reminders["set_next_reminder"], [Parameter.id(id), .instant(decision.next)])
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
                    participation: participation))
        }
        return try claim?.get()
    }

    /// Not the participant's fault: it is their turn again when the database or the server is back.
    private static func isPassing(_ error: any Error) -> Bool {
        error is CancellationError || (error as? DatabaseError).map { $0.isOutage || $0.isTransient } ?? false
    }

    private static func parameters(
        _ decision: ReminderDecision, of id: EnrolmentID, in message: MessageID, now: Instant
    ) -> [Parameter] {
        let prompts = decision.send + decision.drop
        let isSent = prompts.indices.map { $0 < decision.send.count }
        let head: [Parameter] = [.id(id), .id(message), .instant(now)]
        let rest: [Parameter] = [
            .instants(prompts.map(\.at)), .instants(prompts.map(\.expiresAt)),
            .ints(prompts.map(\.occasions.count)),
            .texts(isSent.map { ($0 ? ReminderState.claimed : .suppressed).rawValue }),
            .texts(isSent.map { $0 ? nil : SuppressionReason.dailyCap.rawValue }),
        ]
        return head + parameters(prompts.map(\.key)) + rest
    }

    /// Takes one message that surely was not sent and whose back-off is over.
    /// - Parameter hasMail: false leaves those alone that can go out by nothing but mail.
    package func claimRetry(now: Instant, hasMail: Bool = true) async throws -> ReminderMessage? {
        // Another may claim the message when the commit was lost: only by this name it is known whose claim there is.
        let claim = UUID()
        var taken: ReminderMessage?
        do {
            return try await research.writeRetrying { transaction in
                taken = try await Self.claimRetry(as: claim, now: now, hasMail: hasMail, in: transaction)
                return taken
            }
        } catch let error as DatabaseError where error.isCommitUnknown {
            guard let taken else { throw error }
            return try await findClaim(claim, of: taken.id, taken.enrolment)
        }
    }

    private static func claimRetry(
        as claim: UUID, now: Instant, hasMail: Bool, in transaction: Transaction
    ) async throws -> ReminderMessage? {
        let rows = try await transaction.query(
            Statements.reminders["claim_retry"], [.instant(now), .uuid(claim), .bool(hasMail)])
        guard let first = rows.first else { return nil }
        let expiries = try rows.compactMap { try $0.instantOptional("expires_at") }
        return ReminderMessage(
            id: try first.id("message_id"), enrolment: try first.id("enrolment_id"),
            keys: try rows.compactMap { try Self.key($0) }, expiresAt: expiries.max() ?? now)
    }

    /// Records an attempt and what it means for these reminders of a message, in one transaction.
    /// - Returns: how many attempts there were; 0 when the participant was erased meanwhile.
    package func finish(
        _ message: ReminderMessage, _ keys: [PromptKey], _ outcome: ReminderOutcome, channel: String,
        now: Instant
    ) async throws -> Int {
        let named: [Parameter] = [.id(message.enrolment)] + Self.parameters(keys)
        return try await research.writeRetrying { transaction in
            let lock = (
                Statements.reminders["lock_message"], [Parameter.id(message.enrolment), .id(message.id)]
            )
            // The enrolment before its messages, as whoever claims and whoever erases.
            let look = outcome.lookAgainAt.map {
                Self.lookAgainCall(at: $0, of: message.enrolment, now: now)
            }
            let locked = try await transaction.pipeline([look, lock].compactMap(\.self)).last
            guard locked?.isEmpty == false else { return 0 }
            var calls = Self.attemptCalls(message.enrolment, named, outcome, channel: channel, now: now)
            let end: [Parameter] = [
                .text(outcome.state.rawValue), .text(outcome.why), .instant(outcome.nextAttemptAt),
                .instant(outcome.state == .sent ? now : nil),
            ]
            calls.append((Statements.reminders["finish_reminders"], named + end))
            let results = try await transaction.pipeline(calls)
            return try results[0].map { try $0.get("attempt", as: Int.self) }.max() ?? 0
        }
    }

    /// Has somebody look at this participant's reminders at this moment at the latest; nothing where nobody reminds them.
    package func lookAgain(at moment: Instant, of id: EnrolmentID, now: Instant) async throws {
        let (statement, parameters) = Self.lookAgainCall(at: moment, of: id, now: now)
        _ = try await research.writeRetrying(repeatable: true) { transaction in
            try await transaction.query(statement, parameters)
        }
    }

    /// So much later it may be than when something began, as a delivery, at whoever claims reminders by now.
    private static let longestWork = 900

    private static func lookAgainCall(
        at moment: Instant, of id: EnrolmentID, now: Instant
    ) -> (Statement, [Parameter]) {
        (
            Statements.reminders["look_again"],
            [.id(id), .instant(moment), .instant(now.adding(seconds: longestWork))]
        )
    }

    /// Records an attempt by a channel that failed for good, before another channel is tried; the reminders stay claimed.
    package func passOn(
        _ message: ReminderMessage, _ keys: [PromptKey], _ outcome: ReminderOutcome, channel: String,
        now: Instant
    ) async throws {
        let named: [Parameter] = [.id(message.enrolment)] + Self.parameters(keys)
        try await research.writeRetrying { transaction in
            let locked = try await transaction.query(
                Statements.reminders["lock_message"], [.id(message.enrolment), .id(message.id)])
            guard !locked.isEmpty else { return }
            _ = try await transaction.pipeline(
                Self.attemptCalls(message.enrolment, named, outcome, channel: channel, now: now))
        }
    }

    /// Gives a claimed message back without an attempt; it is claimed again at that moment.
    package func putOff(_ message: ReminderMessage, _ keys: [PromptKey], until moment: Instant) async throws {
        let named: [Parameter] = [.id(message.enrolment)] + Self.parameters(keys)
        let end: [Parameter] = [
            .text(ReminderState.retrying.rawValue), .text(DeliveryFault.temporaryFailure.rawValue),
            .instant(moment), .instant(nil),
        ]
        try await research.writeRetrying { transaction in
            let locked = try await transaction.query(
                Statements.reminders["lock_message"], [.id(message.enrolment), .id(message.id)])
            guard !locked.isEmpty else { return }
            _ = try await transaction.query(Statements.reminders["finish_reminders"], named + end)
        }
    }

    /// What was tried, and what it says of the channel.
    private static func attemptCalls(
        _ id: EnrolmentID, _ named: [Parameter], _ outcome: ReminderOutcome, channel: String, now: Instant
    ) -> [(Statement, [Parameter])] {
        let attempt: [Parameter] = [
            .text(channel), .instant(now), .text(outcome.why ?? outcome.state.rawValue),
            .int(outcome.replyCode),
        ]
        return [(Statements.reminders["insert_reminder_attempts"], named + attempt)]
            + channelCalls(id, channel, outcome, now: now)
    }

    /// Failures in a row after which a channel is thought not to reach the person.
    static let mostFailures = 3

    /// Only what the other side said of this person counts: a server that nobody reaches says nothing of them.
    private static func channelCalls(
        _ id: EnrolmentID, _ channel: String, _ outcome: ReminderOutcome, now: Instant
    ) -> [(Statement, [Parameter])] {
        switch outcome.state {
        case .sent:
            [(Statements.reminders["forget_channel_failures"], [.id(id), .text(channel)])]
        case .failed where outcome.isOfPerson:
            [
                (
                    Statements.reminders["note_channel_failure"],
                    [
                        .id(id), .text(channel), .instant(now),
                        .int(outcome.why == DeliveryFault.gone.rawValue ? 1 : mostFailures),
                    ]
                )
            ]
        default: []
        }
    }

    /// Forgets that a channel did not reach a person, who has named another address for it since.
    static func forgetFailuresCall(
        of account: AccountID, by channel: ReminderChannel
    ) -> (Statement, [Parameter]) {
        (
            Statements.reminders["forget_failures_of_account"], [.id(account), .text(channel.rawValue)]
        )
    }

    /// Attempts to send a claimed message that were recorded so far, by channel; one that failed for good is over.
    package func listAttempts(
        _ message: ReminderMessage
    ) async throws -> [String: (attempts: Int, isOver: Bool)] {
        var found: [String: (attempts: Int, isOver: Bool)] = [:]
        for row in try await research.query(
            Statements.reminders["list_message_attempts"], [.id(message.enrolment), .id(message.id)])
        {
            found[try row.get("channel")] = (try row.get("attempts"), try row.get("is_over"))
        }
        return found
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

    private static func parameters(_ keys: [PromptKey]) -> [Parameter] {
        [.texts(keys.map(\.kind.rawValue)), .texts(keys.map(\.subject)), .ints(keys.map(\.ordinal))]
    }
}
