import Logging
import SaunterCore
import SaunterStore

/// A claimed message with all that is said and needed of it.
struct ReminderDraft: Sendable {
    var message: ReminderMessage
    var contents: MessageContents
    var study: Study
    var enrolment: Enrolment
    var recipient: (account: AccountID, email: String, name: String)
}

extension ReminderStep {
    /// Sends what was claimed.
    /// - Parameter claimed: the locked state from which it was claimed a moment ago; nil where that is longer ago, as after a failed attempt. Then the
    ///   state is looked at once more: a sheet may have come in since, or it has become quiet.
    func send(
        _ message: ReminderMessage, from claimed: Participation?, now: Instant
    ) async throws -> Result {
        // It is claimed, so nobody else sends it: giving up because the database is away for a moment would be for good.
        var found = claimed
        if found == nil {
            found = try await store.patiently {
                try await store.findParticipation(message.enrolment, now: now)
            }
        }
        guard let participation = found,
            let study = try await store.patiently({
                try await catalogue.find(
                    participation.enrolment.study, version: participation.enrolment.studyVersion)?.study
            }),
            let recipient = try await store.patiently({
                try await store.findRecipient(of: message.enrolment)
            })
        else {
            return try await finish(
                message, message.keys, ReminderOutcome(suppressed: .noRecipient),
                channel: ReminderChannel.mail.rawValue, now: now)
        }
        let enrolment = participation.enrolment
        let first = (enrolment.channels.first ?? .mail).rawValue
        let asking = try await store.patiently {
            try await catalogue.reminding(study, participation, at: now)
        }
        let contents = MessageContents(message.keys, study: asking, participation: participation, at: now)
        for (why, keys) in contents.suppressed {
            _ = try await finish(
                message, keys, ReminderOutcome(suppressed: why), channel: first, now: now)
        }
        guard !contents.keys.isEmpty else { return .suppressed }
        if claimed == nil, let morning = study.reminder?.awake(now, zone: enrolment.zone), morning > now {
            return try await wait(message, contents.keys, until: morning, channel: first, now: now)
        }
        let former = try await store.patiently {
            try await catalogue.formerQuestionnaires(
                of: study.leftOpen(contents.occasions, at: now), study.code, versions: participation.versions)
        }
        // A schedule that asks something else by now is told of under the title of what is open.
        var worded = study
        worded.questionnaires += former.map(\.questionnaire)
        let draft = ReminderDraft(
            message: message, contents: contents, study: worded, enrolment: enrolment, recipient: recipient)
        // Nothing was tried of what is claimed for the first time.
        let earlier =
            claimed == nil ? try await store.patiently { try await store.listAttempts(message) } : [:]
        return try await send(draft, after: earlier, now: now)
    }

    /// Nothing goes out in quiet hours, which are those of the zone that the participant is in now, however late a server came back.
    private func wait(
        _ message: ReminderMessage, _ keys: [PromptKey], until morning: Instant, channel: String, now: Instant
    ) async throws -> Result {
        guard morning < message.expiresAt else {
            return try await finish(
                message, keys, ReminderOutcome(.failed, .givenUp), channel: channel, now: now)
        }
        try await store.putOff(message, keys, until: morning)
        return .retrying
    }

    /// By the first channel of the participant's wish that takes it. What surely failed by one for good goes on to the next; what may have gone
    /// out by one goes out by no other.
    /// - Parameter earlier: attempts that were made before, by channel.
    private func send(
        _ draft: ReminderDraft, after earlier: [String: (attempts: Int, isOver: Bool)], now: Instant
    ) async throws -> Result {
        var failed: (outcome: ReminderOutcome, channel: String, again: Instant?)?
        for channel in draft.enrolment.channels where earlier[channel.rawValue]?.isOver != true {
            guard let outcome = try await deliver(draft, by: channel, now: now) else { continue }
            if let failed {
                try await store.passOn(
                    draft.message, draft.contents.keys, failed.outcome, channel: failed.channel, now: now)
            }
            let attempt = (earlier[channel.rawValue]?.attempts ?? 0) + 1
            let end = self.end(draft, outcome, of: channel, attempt: attempt, now: now)
            guard end.state == .failed else {
                let result = try await finish(
                    draft.message, draft.contents.keys, end, channel: channel.rawValue, now: now)
                // A mail server that answers nobody answers nobody else either; of others' servers nothing follows.
                return result == .retrying && channel == .mail && channels.mail != nil && outcome.isOutage
                    ? .unreachable : result
            }
            let again =
                outcome.isOutage
                ? moment(Backoff.untilOver(after: attempt, now: now, before: draft.message.expiresAt), draft)
                : nil
            failed = (end, channel.rawValue, again)
        }
        guard let last = failed else {
            return try await finish(
                draft.message, draft.contents.keys, ReminderOutcome(.failed, .noChannel),
                channel: (draft.enrolment.channels.first ?? .mail).rawValue, now: now)
        }
        var end = last.outcome
        if let again = last.again {
            // An outage lasts longer than the steps, and nothing else takes the message: its window is open for longer still.
            end = ReminderOutcome(
                .retrying, .temporaryFailure, nextAttemptAt: again, replyCode: end.replyCode)
        }
        let result = try await finish(
            draft.message, draft.contents.keys, end, channel: last.channel, now: now)
        return result == .retrying && last.channel == ReminderChannel.mail.rawValue && channels.mail != nil
            ? .unreachable : result
    }

    /// A moment at which another attempt may be made, quiet hours heeded; nil where it is too late by then.
    private func moment(_ planned: Instant?, _ draft: ReminderDraft) -> Instant? {
        let moment = planned.map { draft.study.reminder?.awake($0, zone: draft.enrolment.zone) ?? $0 }
        return moment.flatMap { $0 < draft.message.expiresAt ? $0 : nil }
    }

    /// Nil where there is nothing of the kind to send to.
    private func deliver(
        _ draft: ReminderDraft, by channel: ReminderChannel, now: Instant
    ) async throws -> DeliveryOutcome? {
        switch channel {
        case .mail: await mail(draft, now: now)
        case .push: try await push(draft, now: now)
        case .webhook: try await webhook(draft, now: now)
        }
    }

    private func mail(_ draft: ReminderDraft, now: Instant) async -> DeliveryOutcome {
        // Whoever comes with a mail server may send it.
        guard let mail = channels.mail else { return .temporaryFailure(code: nil) }
        let words = ReminderText.message(
            draft.contents, study: draft.study, enrolment: draft.enrolment, name: draft.recipient.name,
            url: publicURL)
        return await rest.deliver(
            Delivery(
                to: draft.recipient.email, subject: words.subject, text: words.body,
                messageID: messageID("\(draft.message.enrolment)|\(draft.message.id)"), date: now),
            by: mail, now: now)
    }

    private func push(_ draft: ReminderDraft, now: Instant) async throws -> DeliveryOutcome? {
        guard let push = channels.push else { return nil }
        let devices = try await store.patiently {
            try await store.listPushSubscriptions(of: draft.enrolment.id)
        }
        guard !devices.isEmpty else { return nil }
        let words = ReminderText.notification(draft.contents, study: draft.study, enrolment: draft.enrolment)
        let note = PushNote(
            title: words.subject, body: words.body, language: draft.enrolment.language, url: publicURL,
            message: draft.message.id, enrolment: draft.enrolment.id,
            occasions: draft.contents.occasions.map(\.id), closesAt: draft.message.expiresAt)
        let (outcome, gone) = await push.deliver(note, to: devices, rule: rule, now: now)
        for device in gone {
            try await store.deletePushSubscription(
                device.id, of: device.account, registeredAt: device.registeredAt)
        }
        return outcome
    }

    private func webhook(_ draft: ReminderDraft, now: Instant) async throws -> DeliveryOutcome? {
        guard let sender = channels.webhook,
            let webhook = try await store.patiently({ try await store.findWebhook(draft.enrolment.study) }),
            webhook.disabledAt == nil
        else { return nil }
        // Who it is, the study's programs know by the pseudonym alone.
        let words = ReminderText.message(
            draft.contents, study: draft.study, enrolment: draft.enrolment,
            name: draft.enrolment.participantID, url: publicURL)
        let note = WebhookNote(
            message: draft.message.id, enrolment: draft.enrolment, contents: draft.contents,
            subject: words.subject, text: words.body, expiresAt: draft.message.expiresAt)
        let outcome = await sender.deliver(note, to: webhook, now: now)
        switch outcome {
        case .accepted:
            if webhook.failures > 0 { try await store.noteSuccess(of: webhook) }
        case .gone:
            try await store.noteFailure(of: webhook, code: 410, isGone: true, now: now)
        case .temporaryFailure(let code, _), .permanentFailure(let code):
            try await store.noteFailure(of: webhook, code: code, isGone: false, now: now)
        case .outage(let code):
            try await store.noteFailure(of: webhook, code: code, isGone: false, now: now)
        case .unknown:
            try await store.noteFailure(of: webhook, code: nil, isGone: false, now: now)
        }
        return outcome
    }

    /// What an answer means for the message by this channel.
    private func end(
        _ draft: ReminderDraft, _ outcome: DeliveryOutcome, of channel: ReminderChannel, attempt: Int,
        now: Instant
    ) -> ReminderOutcome {
        // A webhook is the study's: its failures say nothing of a person.
        let isPersons = channel != .webhook
        switch outcome {
        case .accepted:
            // Where nobody's device confirms it, it goes out again.
            let wait = draft.study.reminder?.resendAfter
            return ReminderOutcome(.sent, lookAgainAt: wait.map { now.adding(seconds: $0) })
        case .unknown: return ReminderOutcome(.unknown, .connectionLost)
        case .gone: return ReminderOutcome(.failed, .gone, isOfPerson: isPersons)
        case .permanentFailure(let code):
            return ReminderOutcome(
                .failed, .refused, replyCode: code, isOfPerson: isPersons && code != nil)
        case .outage(let code):
            return again(draft, code: code, wait: nil, attempt: attempt, isOfPerson: false, now: now)
        case .temporaryFailure(let code, let wait):
            return again(
                draft, code: code, wait: wait, attempt: attempt, isOfPerson: isPersons && !outcome.isOutage,
                now: now)
        }
    }

    /// Another attempt, if one is worth making.
    private func again(
        _ draft: ReminderDraft, code: Int?, wait: Int?, attempt: Int, isOfPerson: Bool, now: Instant
    ) -> ReminderOutcome {
        let earliest = now.adding(seconds: wait ?? 0)
        let planned = Backoff.next(after: attempt, now: now, before: draft.message.expiresAt)
        guard let next = moment(planned.map { max($0, earliest) }, draft) else {
            return ReminderOutcome(
                .failed, .givenUp, replyCode: code, isOfPerson: isOfPerson)
        }
        return ReminderOutcome(
            .retrying, .temporaryFailure, nextAttemptAt: next, replyCode: code)
    }

    private func finish(
        _ message: ReminderMessage, _ keys: [PromptKey], _ outcome: ReminderOutcome, channel: String,
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
