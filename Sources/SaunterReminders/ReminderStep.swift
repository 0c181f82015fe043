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
        if let claimed = try await store.claimReminder(now: now, decide: { try await plan($0, now: now) }) {
            guard let key = claimed.key else { return .nothingDue }
            return try await send(key, now: now)
        }
        if let key = try await store.claimRetry(now: now) { return try await send(key, now: now) }
        return .idle
    }

    /// What follows for a participant whose hour has come, from the locked state.
    private func plan(_ participation: Participation, now: Instant) async throws -> ReminderPlan {
        let enrolment = participation.enrolment
        guard let study = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)?.study
        else {
            return ReminderPlan(next: nil, send: nil)
        }
        let next = study.nextReminder(
            after: now, chosen: enrolment.reminderAt, zone: enrolment.zone,
            occasions: participation.occasions, plannedThrough: enrolment.plannedThrough)
        let today = enrolment.zone.local(of: now).date
        let lastDay = enrolment.enrolledOn.adding(days: study.days + 60)
        // After a standstill over midnight, yesterday's hour is not made up for in the night: today's comes.
        let isOfToday = enrolment.nextReminderAt.map { enrolment.zone.local(of: $0).date == today } ?? false
        let isQuiet = study.reminder?.isQuiet(enrolment.zone.local(of: now).time) ?? true
        let due =
            isOfToday && !isQuiet && participation.status.isEnrolled(at: now)
                && !participation.status.isPaused(at: now)
            ? study.dueToday(participation.occasions, at: now, zone: enrolment.zone) : []
        return ReminderPlan(
            next: today > lastDay ? nil : next, send: due.isEmpty ? nil : (today.description, due.count))
    }

    /// Sends a claimed reminder. The state is looked at once more: since the claim, or since a failed attempt, a sheet may have come in.
    private func send(_ key: ReminderKey, now: Instant) async throws -> Result {
        guard let participation = try await store.findParticipation(key.enrolment, now: now),
            let study = try await catalogue.find(
                participation.enrolment.study, version: participation.enrolment.studyVersion)?.study,
            let recipient = try await store.findRecipient(of: key.enrolment)
        else {
            return try await finish(key, ReminderOutcome(state: "suppressed", why: "no_recipient"), now: now)
        }
        let enrolment = participation.enrolment
        let today = enrolment.zone.local(of: now).date
        let due = study.dueToday(participation.occasions, at: now, zone: enrolment.zone)
        let why: String? =
            if today.description != key.subject {
                "day_over"
            } else if !participation.status.isEnrolled(at: now) {
                "withdrawn"
            } else if !enrolment.remindersOn {
                "switched_off"
            } else if participation.status.isPaused(at: now) {
                "paused"
            } else {
                due.isEmpty ? "completed" : nil
            }
        if let why {
            return try await finish(key, ReminderOutcome(state: "suppressed", why: why), now: now)
        }
        let words = ReminderText.dueToday(
            due, study: study, language: enrolment.language, name: recipient.name, url: publicURL)
        let outcome = await channel.deliver(
            Delivery(
                to: recipient.email, subject: words.subject, text: words.body,
                messageID: messageID("\(key.enrolment)|\(key.kind)|\(key.subject)|\(key.ordinal)"), date: now)
        )
        let endOfDay = enrolment.zone.startOfDay(today.adding(days: 1))
        return try await finish(key, outcome, now: now, before: endOfDay)
    }

    private func finish(
        _ key: ReminderKey, _ outcome: DeliveryOutcome, now: Instant, before: Instant
    ) async throws -> Result {
        switch outcome {
        case .accepted: return try await finish(key, ReminderOutcome(state: "sent"), now: now)
        case .unknown:
            return try await finish(key, ReminderOutcome(state: "unknown", why: "connection_lost"), now: now)
        case .permanentFailure(let code):
            return try await finish(
                key, ReminderOutcome(state: "failed", why: "refused", replyCode: code), now: now)
        case .temporaryFailure(let code):
            let attempts = try await store.countAttempts(key)
            let next = Backoff.next(after: attempts + 1, now: now, before: before)
            let result = try await finish(
                key,
                ReminderOutcome(
                    state: next == nil ? "failed" : "retrying", why: "temporary_failure", nextAttemptAt: next,
                    replyCode: code), now: now)
            return result == .retrying && code == nil ? .unreachable : result
        }
    }

    private func finish(_ key: ReminderKey, _ outcome: ReminderOutcome, now: Instant) async throws -> Result {
        let attempt = try await store.finish(key, outcome, channel: channel.name, now: now)
        logger.info(
            "reminder",
            metadata: [
                "enrolment": "\(key.enrolment)", "kind": "\(key.kind)", "subject": "\(key.subject)",
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
