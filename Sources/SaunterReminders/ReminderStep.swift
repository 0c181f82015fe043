import Crypto
import Foundation
import Logging
import SaunterCore
import SaunterStore

/// One unit of reminding: claim, send, record. Whoever runs it decides how often; it can be run by any number of workers at once.
package struct ReminderStep: Sendable {
    package enum Result: Sendable, Hashable {
        /// Nothing was waiting.
        case idle
        /// Somebody's hour had come, but nothing was due.
        case nothingDue
        case sent, retrying, failed, unknown, suppressed
        /// It is tried again later, because the mail server is at fault or does not answer: so it will be with the next one.
        case unreachable
    }

    /// A claim this old belongs to a worker that died.
    static let abandonedAfterSeconds = 900
    /// As long as the code in it works.
    static let mailLifetimeSeconds = 3600

    let store: Store
    let catalogue: StudyCatalogue
    let channels: Channels
    /// Which devices' addresses are called.
    let rule: OutwardRule
    let publicURL: String
    let logger: Logger
    /// Of the mail server, after a fault; all workers that run this step share it.
    let rest = MailRest()

    package init(
        store: Store, catalogue: StudyCatalogue, channels: Channels, rule: OutwardRule = OutwardRule(),
        publicURL: String, logger: Logger
    ) {
        self.store = store
        self.catalogue = catalogue
        self.channels = channels
        self.rule = rule
        self.publicURL = publicURL
        self.logger = logger
    }

    /// Gives up claims whose worker died; once for many steps.
    package func settle(now: Instant) async throws {
        _ = try await store.settleAbandonedReminders(
            claimedBefore: now.adding(seconds: -Self.abandonedAfterSeconds))
    }

    /// What somebody waits for in front of a screen goes first: codes for a new password, before reminders.
    package func run(now: Instant) async throws -> Result {
        let mail = try await sendMail(now: now)
        return mail == .idle ? try await remind(now: now) : mail
    }

    /// Reminders alone.
    package func remind(now: Instant) async throws -> Result {
        // Whoever takes nothing but mail stays as they are until the mail server's rest is over; the others go on.
        let hasMail = channels.mail != nil && rest.allows(at: now)
        if let claimed = try await store.claimReminders(
            now: now, hasMail: hasMail, decide: { try await decide($0, now: now) })
        {
            guard let message = claimed.message else { return .nothingDue }
            return try await send(message, from: claimed.participation, now: now)
        }
        if let message = try await store.claimRetry(now: now, hasMail: hasMail) {
            return try await send(message, from: nil, now: now)
        }
        return .idle
    }

    /// What follows for a participant whose moment has come, from the locked state.
    private func decide(_ participation: Participation, now: Instant) async throws -> ReminderDecision {
        let enrolment = participation.enrolment
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)?.study
        else { return ReminderDecision(next: nil) }
        let asking = try await catalogue.reminding(study, participation, at: now)
        var decision = participation.prompting(asking, at: now).decision(
            at: now, waitedFor: enrolment.nextReminderAt ?? now)
        let lastDay = enrolment.enrolledOn.adding(days: study.days + Prompting.daysAfterTheEnd)
        if enrolment.zone.local(of: now).date > lastDay { decision.next = nil }
        return decision
    }

    /// Mail that is no reminder: codes for a new password. A lost connection counts as sent: a second code would only confuse.
    func sendMail(now: Instant) async throws -> Result {
        guard let channel = channels.mail, rest.allows(at: now),
            let mail = try await store.claimOutgoingMail(now: now, leaseUntil: now.adding(seconds: 600))
        else {
            return .idle
        }
        guard now < mail.createdAt.adding(seconds: Self.mailLifetimeSeconds) else {
            try await store.finishOutgoingMail(mail.id, outcome: "too_late", nextAttemptAt: nil)
            return .suppressed
        }
        guard let account = try await store.findAccount(mail.account), mail.kind == "password_reset",
            let code = mail.message["code"]?.string
        else {
            try await store.finishOutgoingMail(mail.id, outcome: "suppressed", nextAttemptAt: nil)
            return .suppressed
        }
        let words = ReminderText.passwordReset(code: code, language: account.language, url: publicURL)
        let outcome = await rest.deliver(
            Delivery(
                to: account.email, subject: words.subject, text: words.body,
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
            let next = Backoff.next(
                after: mail.attempts, now: now,
                before: mail.createdAt.adding(seconds: Self.mailLifetimeSeconds))
            try await store.finishOutgoingMail(
                mail.id, outcome: next == nil ? "failed" : "retrying", nextAttemptAt: next)
            guard next != nil else { return .failed }
            return outcome.isOutage ? .unreachable : .retrying
        }
    }

    /// The same message gets the same id at every attempt; nothing of the participant can be read from it.
    func messageID(_ subject: String) -> String {
        let digest = SHA256.hash(data: Data(subject.utf8)).prefix(16).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        let host = URL(string: publicURL)?.host() ?? "saunter.invalid"
        return "\(digest.joined())@\(host)"
    }
}
