import Crypto
import Foundation
import Logging
import SaunterCore
import SaunterStore

/// One unit of work: claims a message, sends it and records the outcome. Any number of workers can run it
/// concurrently.
package struct ReminderStep: Sendable {
    /// What one step did.
    package enum Result: Sendable, Hashable {
        /// Nothing was waiting.
        case idle
        /// A participant's check time had come, but no reminder was due.
        case nothingDue
        case sent, retrying, failed, unknown, suppressed
        /// The message is retried later because the mail server is unavailable. The next mail would fail in the same
        /// way.
        case unreachable
    }

    /// If a claim is older than this, its worker has died.
    static let abandonedAfterSeconds = 900
    /// The seconds until a message is tried again, if its other channels failed and its mail address is not verified.
    static let verificationRetrySeconds = 900

    let store: Store
    let catalogue: StudyCatalogue
    let channels: Channels
    /// The addresses of devices that the server may call.
    let outboundPolicy: OutboundPolicy
    let publicURL: String
    let logger: Logger
    /// Pauses mail after a fault of the mail server. All workers that run this step share it.
    let mailCircuitBreaker = MailCircuitBreaker()

    /// Creates a step that all workers of the process share.
    package init(
        store: Store, catalogue: StudyCatalogue, channels: Channels,
        outboundPolicy: OutboundPolicy = OutboundPolicy(),
        publicURL: String, logger: Logger
    ) {
        self.store = store
        self.catalogue = catalogue
        self.channels = channels
        self.outboundPolicy = outboundPolicy
        self.publicURL = publicURL
        self.logger = logger
    }

    /// Marks claims of dead workers as abandoned. One call covers many steps.
    package func markAbandonedReminders(now: Instant) async throws {
        _ = try await store.markAbandonedReminders(
            claimedBefore: now.adding(seconds: -Self.abandonedAfterSeconds))
    }

    /// Sends one account mail, or one reminder if no account mail is waiting. Account mails come first, because a user
    /// waits for a code in front of a screen.
    package func run(now: Instant) async throws -> Result {
        let result = try await sendAccountMail(now: now)
        return result == .idle ? try await sendReminder(now: now) : result
    }

    /// Sends one reminder.
    package func sendReminder(now: Instant) async throws -> Result {
        // During the pause of the mail server, participants with mail as their only channel keep their state. Others
        // are served.
        let hasMail = channels.mail != nil && mailCircuitBreaker.allowsAttempt(at: now)
        if let claimed = try await store.claimReminders(
            now: now, hasMail: hasMail, decide: { try await decide($0, now: now) })
        {
            guard let message = claimed.message else { return .nothingDue }
            return try await send(message, from: claimed.participant, now: now)
        }
        if let message = try await store.claimRetry(now: now, hasMail: hasMail) {
            return try await send(message, from: nil, now: now)
        }
        return .idle
    }

    /// Decides which reminders are due for a participant whose check time has come, from the locked state.
    private func decide(_ participant: ParticipantState, now: Instant) async throws -> ReminderDecision {
        let enrolment = participant.enrolment
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)?.study
        else { return ReminderDecision(next: nil) }
        let extendedStudy = try await catalogue.addingFormerReminders(study, participant, at: now)
        var decision = participant.reminderPlanner(extendedStudy, at: now).decision(
            at: now, scheduledAt: enrolment.nextReminderAt ?? now)
        let lastDay = enrolment.enrolledOn.adding(days: study.days + ReminderPlanner.daysAfterStudyEnd)
        if enrolment.zone.local(of: now).date > lastDay { decision.next = nil }
        return decision
    }

    /// Sends one account mail, which is not a reminder: a code, or a message about a changed password or address. After
    /// a lost connection the mail is not sent again, because a second code would confuse the user.
    func sendAccountMail(now: Instant) async throws -> Result {
        guard let channel = channels.mail, mailCircuitBreaker.allowsAttempt(at: now),
            let mail = try await store.claimOutgoingMail(now: now, leaseUntil: now.adding(seconds: 600))
        else {
            return .idle
        }
        guard let kind = mail.kind, let recipient = mail.message["to"]?.string,
            let account = try await store.findAccount(mail.account)
        else {
            try await store.finishOutgoingMail(mail.id, outcome: "suppressed", nextAttemptAt: nil)
            return .suppressed
        }
        let expiresAt = mail.createdAt.adding(seconds: kind.lifetimeSeconds)
        guard now < expiresAt else {
            try await store.finishOutgoingMail(mail.id, outcome: "too_late", nextAttemptAt: nil)
            return .suppressed
        }
        let resetLink = kind == .passwordReset ? try await resetLink(of: account.id) : nil
        let text = ReminderText.accountMail(
            kind, AccountMailFacts(mail.message, resetLink: resetLink), language: account.language,
            url: publicURL)
        let outcome = await mailCircuitBreaker.deliver(
            MailDelivery(
                to: recipient, subject: text.subject, text: text.body,
                messageID: messageID("mail|\(mail.id.uuidString)"), date: now), by: channel, now: now)
        switch outcome {
        case .accepted:
            try await store.finishOutgoingMail(mail.id, outcome: "sent", nextAttemptAt: nil)
            return .sent
        case .unknown:
            try await store.finishOutgoingMail(mail.id, outcome: "unknown", nextAttemptAt: nil)
            return .unknown
        case .permanentFailure, .gone:
            try await store.finishOutgoingMail(mail.id, outcome: "failed", nextAttemptAt: nil)
            return .failed
        case .temporaryFailure, .outage:
            let next =
                outcome.isOutage
                ? Backoff.nextAttemptDuringOutage(after: mail.attempts, now: now, before: expiresAt)
                : Backoff.nextAttempt(after: mail.attempts, now: now, before: expiresAt)
            try await store.finishOutgoingMail(
                mail.id, outcome: next == nil ? "failed" : "retrying", nextAttemptAt: next)
            guard next != nil else { return .failed }
            return outcome.isOutage ? .unreachable : .retrying
        }
    }

    /// The link `reset` of the studies in which an account takes part. The page behind it reads the code, with which it
    /// could take over the account. So all studies of the account must name the same page, and an account with a role
    /// uses the page of this server.
    private func resetLink(of account: AccountID) async throws -> String? {
        guard try await store.listGrants(account).isEmpty else { return nil }
        var links: Set<String?> = []
        for membership in try await store.listMemberships(account) {
            guard let enrolment = try await store.findEnrolment(membership.enrolment) else { continue }
            let published = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)
            links.insert(published?.study.links["reset"])
        }
        return links.count == 1 ? links.first ?? nil : nil
    }

    /// A message keeps its id over all attempts. The id is a digest and contains no participant data.
    ///
    /// - Parameter key: identifies the message among all messages of the server.
    func messageID(_ key: String) -> String {
        let digest = Hex.encode(SHA256.hash(data: Data(key.utf8)).prefix(16))
        let host = URL(string: publicURL)?.host() ?? "saunter.invalid"
        return "\(digest)@\(host)"
    }
}
