import Logging
import SaunterCore
import SaunterStore

/// A claimed message with all data that is needed to send it.
struct ReminderDraft: Sendable {
    var message: ReminderMessage
    var contents: MessageContents
    var study: Study
    var enrolment: Enrolment
    var recipient: (account: AccountID, email: String?, isEmailVerified: Bool, name: String)
    /// The message of a rule; nil for reminders.
    var inbox: InboxMessage?

    /// The channels to try, in the participant's order.
    var channels: [ReminderChannel] {
        enrolment.channels.filter { channel in
            channel != .inApp && inbox?.channels?.contains(channel) ?? true
                && channel == message.channel ?? channel
        }
    }

    /// Whether mail could deliver the message as soon as the participant has verified the address.
    var waitsForVerification: Bool {
        !recipient.isEmailVerified && channels.contains(.mail)
    }
}

extension ReminderStep {
    /// Sends a claimed message.
    /// - Parameter claimed: the locked state from which the message was just claimed. Nil for a retry: then the state
    /// is read again, because a sheet may have been submitted or quiet hours may have begun in the meantime.
    func send(
        _ message: ReminderMessage, from claimed: ParticipantState?, now: Instant
    ) async throws -> Result {
        // This worker holds the claim, so no other worker sends the message. It therefore retries during a database
        // outage.
        var currentState = claimed
        if currentState == nil {
            currentState = try await store.retryDuringOutage {
                try await store.findParticipantState(message.enrolment, now: now)
            }
        }
        guard let participant = currentState,
            let study = try await store.retryDuringOutage({
                try await catalogue.find(
                    participant.enrolment.study, version: participant.enrolment.studyVersion)?.study
            }),
            let recipient = try await store.retryDuringOutage({
                try await store.findRecipient(of: message.enrolment)
            })
        else {
            return try await finish(
                message, message.keys, ReminderOutcome(suppressed: .noRecipient),
                channel: ReminderChannel.mail.rawValue, now: now)
        }
        let enrolment = participant.enrolment
        let firstChannel = (enrolment.channels.first ?? .mail).rawValue
        let extendedStudy = try await store.retryDuringOutage {
            try await catalogue.addingFormerReminders(study, participant, at: now)
        }
        let contents = MessageContents(message.keys, study: extendedStudy, participant: participant, at: now)
        for (reason, keys) in contents.suppressed {
            _ = try await finish(
                message, keys, ReminderOutcome(suppressed: reason), channel: firstChannel, now: now)
        }
        guard !contents.keys.isEmpty else { return .suppressed }
        if claimed == nil,
            let quietHoursEnd = study.reminder?.quietHours.postponed(now, zone: enrolment.zone),
            quietHoursEnd > now
        {
            return try await deferMessage(
                message, contents.keys, until: quietHoursEnd, channel: firstChannel, now: now)
        }
        let formerQuestionnaires = try await store.retryDuringOutage {
            try await catalogue.formerQuestionnaires(
                of: study.openOccasionsOfFormerQuestionnaires(contents.occasions, at: now), study.code,
                versions: participant.versions)
        }
        // The schedule may have changed. An open occasion keeps the title of its former questionnaire.
        var studyWithFormerTitles = study
        studyWithFormerTitles.questionnaires += formerQuestionnaires.map(\.questionnaire)
        let draft = ReminderDraft(
            message: message, contents: contents, study: studyWithFormerTitles, enrolment: enrolment,
            recipient: recipient,
            inbox: contents.keys.contains { $0.kind == .rule }
                ? try await store.retryDuringOutage {
                    try await store.findInboxMessage(message.id, of: enrolment.id)
                } : nil)
        // A message that was claimed for the first time has no earlier attempts.
        let earlierAttempts =
            claimed == nil ? try await store.retryDuringOutage { try await store.listAttempts(message) } : [:]
        return try await send(draft, after: earlierAttempts, now: now)
    }

    /// Defers the message, for example to the end of quiet hours in the participant's current time zone. If it expires
    /// earlier, it fails.
    private func deferMessage(
        _ message: ReminderMessage, _ keys: [ReminderKey], until moment: Instant, channel: String,
        now: Instant
    ) async throws -> Result {
        guard moment < message.expiresAt else {
            let result = try await finish(
                message, keys, ReminderOutcome(.failed, .givenUp), channel: channel, now: now)
            // The participant reads the message of a rule in the inbox.
            return keys.contains { $0.kind == .rule } ? .suppressed : result
        }
        try await store.deferMessage(message, keys, until: moment)
        return .retrying
    }

    /// Tries the participant's channels in their preferred order. If a channel certainly failed for good, the next one
    /// is tried. If a channel may have delivered the message, no other channel is tried.
    /// - Parameter earlierAttempts: the attempts up to now by channel.
    private func send(
        _ draft: ReminderDraft, after earlierAttempts: [String: (attempts: Int, isFinal: Bool)], now: Instant
    ) async throws -> Result {
        var lastFailure: (outcome: ReminderOutcome, channel: String, nextAttemptAt: Instant?)?
        for channel in draft.channels where earlierAttempts[channel.rawValue]?.isFinal != true {
            guard let outcome = try await deliver(draft, by: channel, now: now) else { continue }
            if let lastFailure {
                try await store.recordFailedAttempt(
                    draft.message, draft.contents.keys, lastFailure.outcome, channel: lastFailure.channel,
                    now: now)
            }
            let attempt = (earlierAttempts[channel.rawValue]?.attempts ?? 0) + 1
            let reminderOutcome = self.reminderOutcome(
                draft, outcome, of: channel, attempt: attempt, now: now)
            guard reminderOutcome.state == .failed else {
                let result = try await finish(
                    draft.message, draft.contents.keys, reminderOutcome, channel: channel.rawValue, now: now)
                // If the mail server is unavailable, mail to other participants would fail too. Push services and
                // webhooks differ per device and study.
                return result == .retrying && channel == .mail && channels.mail != nil && outcome.isOutage
                    ? .unreachable : result
            }
            let nextAttemptAt =
                outcome.isOutage
                ? attemptTime(
                    Backoff.nextAttemptDuringOutage(
                        after: attempt, now: now, before: draft.message.expiresAt), draft)
                : nil
            lastFailure = (reminderOutcome, channel.rawValue, nextAttemptAt)
        }
        if draft.waitsForVerification, lastFailure?.nextAttemptAt == nil {
            if let lastFailure {
                try await store.recordFailedAttempt(
                    draft.message, draft.contents.keys, lastFailure.outcome, channel: lastFailure.channel,
                    now: now)
            }
            return try await deferMessage(
                draft.message, draft.contents.keys, until: now.adding(seconds: Self.verificationRetrySeconds),
                channel: ReminderChannel.mail.rawValue, now: now)
        }
        guard let failure = lastFailure else {
            let channel = draft.message.channel ?? draft.enrolment.channels.first ?? .mail
            let result = try await finish(
                draft.message, draft.contents.keys, ReminderOutcome(.failed, .noChannel),
                channel: channel.rawValue, now: now)
            // The participant reads the message of a rule in the inbox.
            return draft.inbox == nil ? result : .suppressed
        }
        var outcome = failure.outcome
        if let nextAttemptAt = failure.nextAttemptAt {
            // An outage can last longer than the backoff steps, and no other channel accepts the message. The message
            // has not expired, so it is retried.
            outcome = ReminderOutcome(
                .retrying, .temporaryFailure, nextAttemptAt: nextAttemptAt, replyCode: outcome.replyCode)
        }
        let result = try await finish(
            draft.message, draft.contents.keys, outcome, channel: failure.channel, now: now)
        return result == .retrying && failure.channel == ReminderChannel.mail.rawValue
            && channels.mail != nil
            ? .unreachable : result
    }

    /// Moves a planned attempt out of quiet hours. Nil if the message has expired by then.
    private func attemptTime(_ planned: Instant?, _ draft: ReminderDraft) -> Instant? {
        let time = planned.map {
            draft.study.reminder?.quietHours.postponed($0, zone: draft.enrolment.zone) ?? $0
        }
        return time.flatMap { $0 < draft.message.expiresAt ? $0 : nil }
    }

    /// Nil if the participant cannot be reached by this channel.
    private func deliver(
        _ draft: ReminderDraft, by channel: ReminderChannel, now: Instant
    ) async throws -> DeliveryOutcome? {
        switch channel {
        case .mail: draft.recipient.isEmailVerified ? await sendMail(draft, now: now) : nil
        case .push: try await sendPush(draft, now: now)
        case .webhook: try await sendToWebhook(draft, now: now)
        // The list of messages in the app contains every message, so the inbox already has it.
        case .inApp: .accepted
        }
    }

    private func url(of message: InboxMessage, _ draft: ReminderDraft) -> String {
        MessageURL.page(
            publicURL: publicURL, enrolment: draft.enrolment.id, target: message.target, study: draft.study)
    }

    private func sendMail(_ draft: ReminderDraft, now: Instant) async -> DeliveryOutcome? {
        guard let address = draft.recipient.email else { return nil }
        // No mail server is configured here. Another server process that has one may send the message later.
        guard let mail = channels.mail else { return .temporaryFailure(code: nil) }
        let text =
            draft.inbox.map { ReminderText.mail($0, name: draft.recipient.name, url: url(of: $0, draft)) }
            ?? ReminderText.message(
                draft.contents, study: draft.study, enrolment: draft.enrolment, name: draft.recipient.name,
                url: MessageURL.page(
                    publicURL: publicURL, enrolment: draft.enrolment.id,
                    occasions: draft.contents.occasions.map(\.id)))
        return await mailCircuitBreaker.deliver(
            MailDelivery(
                to: address, subject: text.subject, text: text.body,
                messageID: messageID("\(draft.message.enrolment)|\(draft.message.id)"), date: now),
            by: mail, now: now)
    }

    private func sendPush(_ draft: ReminderDraft, now: Instant) async throws -> DeliveryOutcome? {
        guard let push = channels.push else { return nil }
        let devices = try await store.retryDuringOutage {
            try await store.listPushSubscriptions(of: draft.enrolment.id)
        }
        guard !devices.isEmpty else { return nil }
        let text =
            draft.inbox.map { ReminderText.filled($0, name: draft.recipient.name) }
            ?? ReminderText.pushText(draft.contents, study: draft.study, enrolment: draft.enrolment)
        let payload = PushPayload(
            title: text.subject, body: text.body, language: draft.enrolment.language, publicURL: publicURL,
            message: draft.message.id, enrolment: draft.enrolment.id,
            occasions: draft.contents.occasions.map(\.id), expiresAt: draft.message.expiresAt,
            url: draft.inbox.map { url(of: $0, draft) })
        let (outcome, gone) = await push.deliver(payload, to: devices, policy: outboundPolicy, now: now)
        for device in gone {
            try await store.deletePushSubscription(
                device.id, of: device.account, registeredAt: device.registeredAt)
        }
        return outcome
    }

    private func sendToWebhook(_ draft: ReminderDraft, now: Instant) async throws -> DeliveryOutcome? {
        guard let sender = channels.webhook,
            let webhook = try await store.retryDuringOutage({
                try await store.findWebhook(draft.enrolment.study)
            }),
            webhook.disabledAt == nil
        else { return nil }
        // The webhook receives the pseudonym and no name.
        let text =
            draft.inbox.map { ReminderText.filled($0, name: draft.enrolment.participantID) }
            ?? ReminderText.message(
                draft.contents, study: draft.study, enrolment: draft.enrolment,
                name: draft.enrolment.participantID, url: publicURL)
        let payload = WebhookPayload(
            message: draft.message.id, enrolment: draft.enrolment, contents: draft.contents,
            subject: text.subject, text: text.body, expiresAt: draft.message.expiresAt)
        let outcome = await sender.deliver(payload, to: webhook, now: now)
        switch outcome {
        case .accepted:
            if webhook.failures > 0 { try await store.recordSuccess(of: webhook) }
        case .gone:
            try await store.recordFailure(of: webhook, code: 410, isGone: true, now: now)
        case .temporaryFailure(let code, _), .permanentFailure(let code):
            try await store.recordFailure(of: webhook, code: code, isGone: false, now: now)
        case .outage(let code):
            try await store.recordFailure(of: webhook, code: code, isGone: false, now: now)
        case .unknown:
            try await store.recordFailure(of: webhook, code: nil, isGone: false, now: now)
        }
        return outcome
    }

    /// The outcome of the message after one attempt by this channel.
    private func reminderOutcome(
        _ draft: ReminderDraft, _ outcome: DeliveryOutcome, of channel: ReminderChannel, attempt: Int,
        now: Instant
    ) -> ReminderOutcome {
        // The study owns the webhook, so a failure of it is not a fault of the participant's address.
        let isRecipientAddress = channel != .webhook
        switch outcome {
        case .accepted:
            // The message is resent if no device confirms it in this time.
            let delay = draft.study.reminder?.resendAfter
            return ReminderOutcome(.sent, nextCheckAt: delay.map { now.adding(seconds: $0) })
        case .unknown: return ReminderOutcome(.unknown, .connectionLost)
        case .gone: return ReminderOutcome(.failed, .gone, isRecipientFault: isRecipientAddress)
        case .permanentFailure(let code):
            return ReminderOutcome(
                .failed, .refused, replyCode: code, isRecipientFault: isRecipientAddress && code != nil)
        case .outage(let code):
            return retryOutcome(
                draft, code: code, retryAfter: nil, attempt: attempt, isRecipientFault: false, now: now)
        case .temporaryFailure(let code, let retryAfter):
            return retryOutcome(
                draft, code: code, retryAfter: retryAfter, attempt: attempt,
                isRecipientFault: isRecipientAddress && !outcome.isOutage,
                now: now)
        }
    }

    /// Plans another attempt. The message fails if no attempt is possible before it expires.
    private func retryOutcome(
        _ draft: ReminderDraft, code: Int?, retryAfter: Int?, attempt: Int, isRecipientFault: Bool,
        now: Instant
    ) -> ReminderOutcome {
        let earliest = now.adding(seconds: retryAfter ?? 0)
        let planned = Backoff.nextAttempt(after: attempt, now: now, before: draft.message.expiresAt)
        guard let next = attemptTime(planned.map { max($0, earliest) }, draft) else {
            return ReminderOutcome(
                .failed, .givenUp, replyCode: code, isRecipientFault: isRecipientFault)
        }
        return ReminderOutcome(
            .retrying, .temporaryFailure, nextAttemptAt: next, replyCode: code)
    }

    private func finish(
        _ message: ReminderMessage, _ keys: [ReminderKey], _ outcome: ReminderOutcome, channel: String,
        now: Instant
    ) async throws -> Result {
        let attempt = try await store.finish(message, keys, outcome, channel: channel, now: now)
        logger.info(
            "reminder",
            metadata: [
                "enrolment": "\(message.enrolment)", "message": "\(message.id)",
                "kinds": "\(Set(keys.map(\.kind.rawValue)).sorted().joined(separator: ","))",
                "channel": "\(channel)", "state": "\(outcome.state.rawValue)", "attempt": "\(attempt)",
            ])
        switch outcome.state {
        case .sent: return .sent
        case .retrying: return .retrying
        case .unknown: return .unknown
        case .suppressed: return .suppressed
        case .claimed, .failed: return .failed
        }
    }
}
