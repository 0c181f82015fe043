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
        /// It is tried again later, because nobody answered: so it will be with the next one.
        case unreachable
    }

    /// A claim this old belongs to a worker that died.
    static let abandonedAfterSeconds = 900
    /// As long as the code in it works.
    static let mailLifetimeSeconds = 3600

    let store: Store
    let catalogue: StudyCatalogue
    let channel: Channel
    let publicURL: String
    let logger: Logger

    package init(store: Store, catalogue: StudyCatalogue, channel: Channel, publicURL: String, logger: Logger)
    {
        self.store = store
        self.catalogue = catalogue
        self.channel = channel
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
        if mail != .idle { return mail }
        if let claimed = try await store.claimReminders(now: now, decide: { try await decide($0, now: now) })
        {
            guard let message = claimed.message else { return .nothingDue }
            return try await send(message, now: now)
        }
        if let message = try await store.claimRetry(now: now) { return try await send(message, now: now) }
        return .idle
    }

    /// What follows for a participant whose moment has come, from the locked state.
    private func decide(_ participation: Participation, now: Instant) async throws -> ReminderDecision {
        let enrolment = participation.enrolment
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)?.study
        else { return ReminderDecision(next: nil) }
        var decision = participation.prompting(study, at: now).decision(
            at: now, waitedFor: enrolment.nextReminderAt ?? now)
        let lastDay = enrolment.enrolledOn.adding(days: study.days + 60)
        if enrolment.zone.local(of: now).date > lastDay { decision.next = nil }
        return decision
    }

    /// Sends what was claimed. The state is looked at once more: since the claim, or since a failed attempt, a sheet may have come in.
    private func send(_ message: ReminderMessage, now: Instant) async throws -> Result {
        // It is claimed, so nobody else sends it: giving up because the database is away for a moment would be for good.
        guard
            let participation = try await store.patiently({
                try await store.findParticipation(message.enrolment, now: now)
            }),
            let study = try await store.patiently({
                try await catalogue.find(
                    participation.enrolment.study, version: participation.enrolment.studyVersion)?.study
            }),
            let recipient = try await store.patiently({
                try await store.findRecipient(of: message.enrolment)
            })
        else {
            return try await finish(
                message, message.keys, ReminderOutcome(state: "suppressed", why: "no_recipient"), now: now)
        }
        let contents = MessageContents(message.keys, study: study, participation: participation, at: now)
        for (why, keys) in contents.suppressed {
            _ = try await finish(message, keys, ReminderOutcome(state: "suppressed", why: why), now: now)
        }
        guard !contents.keys.isEmpty else { return .suppressed }
        let enrolment = participation.enrolment
        let words = ReminderText.message(
            contents, study: study, enrolment: enrolment, name: recipient.name, url: publicURL)
        let outcome = await channel.deliver(
            Delivery(
                to: recipient.email, subject: words.subject, text: words.body,
                messageID: messageID("\(message.enrolment)|\(message.id)"), date: now))
        return try await finish(
            message, contents.keys, outcome, now: now,
            awake: { study.reminder?.awake($0, zone: enrolment.zone) ?? $0 })
    }

    private func finish(
        _ message: ReminderMessage, _ keys: [PromptKey], _ outcome: DeliveryOutcome, now: Instant,
        awake: (Instant) -> Instant
    ) async throws -> Result {
        switch outcome {
        case .accepted: return try await finish(message, keys, ReminderOutcome(state: "sent"), now: now)
        case .unknown:
            return try await finish(
                message, keys, ReminderOutcome(state: "unknown", why: "connection_lost"), now: now)
        case .permanentFailure(let code):
            return try await finish(
                message, keys, ReminderOutcome(state: "failed", why: "refused", replyCode: code), now: now)
        case .temporaryFailure(let code):
            let attempts = try await store.countAttempts(message)
            let next = Backoff.next(after: attempts + 1, now: now, before: message.expiresAt).map(awake)
            let again = next.flatMap { $0 < message.expiresAt ? $0 : nil }
            let result = try await finish(
                message, keys,
                ReminderOutcome(
                    state: again == nil ? "failed" : "retrying", why: "temporary_failure",
                    nextAttemptAt: again, replyCode: code), now: now)
            return result == .retrying && code == nil ? .unreachable : result
        }
    }

    private func finish(
        _ message: ReminderMessage, _ keys: [PromptKey], _ outcome: ReminderOutcome, now: Instant
    ) async throws -> Result {
        let attempt = try await store.finish(message, keys, outcome, channel: channel.name, now: now)
        logger.info(
            "reminder",
            metadata: [
                "enrolment": "\(message.enrolment)", "message": "\(message.id)",
                "kinds": "\(Set(keys.map(\.kind.rawValue)).sorted().joined(separator: ","))",
                "state": "\(outcome.state)", "attempt": "\(attempt)",
            ])
        switch outcome.state {
        case "sent": return .sent
        case "retrying": return .retrying
        case "unknown": return .unknown
        case "suppressed": return .suppressed
        default: return .failed
        }
    }

    /// Mail that is no reminder: codes for a new password. A lost connection counts as sent: a second code would only confuse.
    func sendMail(now: Instant) async throws -> Result {
        guard let mail = try await store.claimOutgoingMail(now: now, leaseUntil: now.adding(seconds: 600))
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
        let outcome = await channel.deliver(
            Delivery(
                to: account.email, subject: words.subject, text: words.body,
                messageID: messageID("mail|\(mail.id.uuidString)"), date: now))
        switch outcome {
        case .accepted:
            try await store.finishOutgoingMail(mail.id, outcome: "sent", nextAttemptAt: nil)
            return .sent
        case .unknown:
            try await store.finishOutgoingMail(mail.id, outcome: "unknown", nextAttemptAt: nil)
            return .unknown
        case .permanentFailure:
            try await store.finishOutgoingMail(mail.id, outcome: "failed", nextAttemptAt: nil)
            return .failed
        case .temporaryFailure(let code):
            let next = Backoff.next(
                after: mail.attempts, now: now,
                before: mail.createdAt.adding(seconds: Self.mailLifetimeSeconds))
            try await store.finishOutgoingMail(
                mail.id, outcome: next == nil ? "failed" : "retrying", nextAttemptAt: next)
            guard next != nil else { return .failed }
            return code == nil ? .unreachable : .retrying
        }
    }

    /// The same message gets the same id at every attempt; nothing of the participant can be read from it.
    private func messageID(_ subject: String) -> String {
        let digest = SHA256.hash(data: Data(subject.utf8)).prefix(16).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        let host = URL(string: publicURL)?.host() ?? "saunter.invalid"
        return "\(digest.joined())@\(host)"
    }
}
