/// A message that no occasion asks for: some time after an event of the study, or when somebody has not been heard of.
package struct NoticeRule: Sendable, Hashable {
    package enum Trigger: Sendable, Hashable {
        /// Counts from the moment at which a named event happened.
        case event(String)
        /// Counts from the last sheet or walk, else from the enrolment, and not in breaks; whatever comes stops it and begins anew.
        case inactivity
    }

    package var code: String
    package var trigger: Trigger
    /// Seconds from that moment to the first message.
    package var firstAfter: Int
    /// Seconds from one message to the next.
    package var repeatEvery: Int
    /// So many messages, the first among them.
    package var most: Int
    /// A completed sheet of this questionnaire, after that moment, stops it.
    package var until: String?

    package init(
        code: String, trigger: Trigger, firstAfter: Int, repeatEvery: Int = NoticeRule.lifetime,
        most: Int = 1,
        until: String? = nil
    ) {
        self.code = code
        self.trigger = trigger
        self.firstAfter = firstAfter
        self.repeatEvery = repeatEvery
        self.most = most
        self.until = until
    }

    /// So long the only message of a rule is of use: a week.
    package static let lifetime = 7 * 86_400
}

/// What somebody did, as far as notices count from it.
package struct NoticeFacts: Sendable, Hashable {
    /// The last sheet or walk.
    package var lastActivity: Instant?
    /// Named events with their moments.
    package var events: [String: Instant]
    /// The last completed sheet of each questionnaire.
    package var completions: [String: Instant]
    /// Breaks from prompts, each after the one before: whoever takes one is not silent meanwhile.
    package var pauses: [Pause]

    package init(
        lastActivity: Instant? = nil, events: [String: Instant] = [:],
        completions: [String: Instant] = [:], pauses: [Pause] = []
    ) {
        self.lastActivity = lastActivity
        self.events = events
        self.completions = completions
        self.pauses = pauses
    }

    /// The moment at which so many seconds have passed since `start` that lie in no break; nil while a break keeps it from coming.
    func moment(_ seconds: Int, ofSilenceSince start: Instant) -> Instant? {
        var moment = start.adding(seconds: seconds)
        for pause in pauses where pause.from <= moment {
            guard let end = pause.to else { return nil }
            moment = moment.adding(milliseconds: max(0, end.milliseconds(since: max(pause.from, start))))
        }
        return moment
    }
}

extension Study {
    /// When, at the earliest, a notice tells of silence that began at this moment; nil where none does.
    package func firstNotice(ofSilenceSince start: Instant) -> Instant? {
        guard reminder != nil else { return nil }
        return notices.filter { $0.trigger == .inactivity }.map { start.adding(seconds: $0.firstAfter) }.min()
    }
}

extension Prompting {
    /// Every message that the study's rules give, quiet hours heeded, whoever claimed it. The subject holds the moment from which it counts, so that
    /// a new spell of silence has messages of its own.
    package func notices() -> [Prompt] {
        guard let rule = study.reminder else { return [] }
        let end = zone.startOfDay(zone.local(of: enrolledAt).date.adding(days: study.days + 1))
        return study.notices.flatMap { notice -> [Prompt] in
            let start: Instant
            switch notice.trigger {
            case .inactivity: start = max(facts.lastActivity ?? enrolledAt, enrolledAt)
            case .event(let code):
                guard let moment = facts.events[code] else { return [] }
                start = moment
            }
            if let until = notice.until, let done = facts.completions[until], done >= start { return [] }
            func after(_ seconds: Int) -> Instant? {
                notice.trigger == .inactivity
                    ? facts.moment(seconds, ofSilenceSince: start) : start.adding(seconds: seconds)
            }
            return (0..<max(0, notice.most)).compactMap { number -> Prompt? in
                let seconds = notice.firstAfter + number * notice.repeatEvery
                guard let nominal = after(seconds) else { return nil }
                let expiry = min(after(seconds + notice.repeatEvery) ?? end, end)
                let moment = rule.awake(nominal, zone: zone)
                guard nominal >= enrolledAt, moment < expiry else { return nil }
                let key = PromptKey(
                    kind: .notice, subject: "\(notice.code)/\(start)", ordinal: number + 1)
                return Prompt(key: key, at: moment, expiresAt: expiry, occasions: [])
            }
        }
    }
}

extension Prompting {
    /// Whether the same was said since the moment from which this counts, which was not known then: another moment of an event is a correction, and of a
    /// spell of silence it became known late that somebody had been heard of, so that it holds messages already, and one of this rule comes no sooner
    /// after another than the rule says. What happens after a message went out is something new.
    func wasSaid(_ notice: Prompt) -> Bool {
        guard let rule = study.notices.first(where: { $0.code == notice.key.noticeCode }),
            let start = notice.key.noticeStart
        else { return false }
        return records.contains { record in
            guard !record.isUnsent, record.key.noticeCode == rule.code, start <= record.claimedAt else {
                return false
            }
            switch rule.trigger {
            case .event: return record.key.ordinal == notice.key.ordinal
            case .inactivity:
                let said = record.plannedAt ?? record.claimedAt
                return record.key.subject != notice.key.subject
                    && notice.at < said.adding(seconds: rule.repeatEvery)
            }
        }
    }
}

extension PromptKey {
    /// The code of the rule that a notice follows.
    package var noticeCode: String? {
        kind == .notice ? subject.split(separator: "/").first.map(String.init) : nil
    }

    /// The moment from which it counts.
    fileprivate var noticeStart: Instant? {
        kind == .notice ? subject.split(separator: "/").last.flatMap { Instant(String($0)) } : nil
    }
}
