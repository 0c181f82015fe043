/// Everything about one participant from which decisions follow.
package struct RuleFacts: Sendable {
    /// An earlier decision. At most one exists per rule, point and key.
    package struct Decision: Sendable, Hashable {
        /// The code of the rule.
        package var rule: String
        /// The name of the decision point, see `PlannedPoint`.
        package var point: String
        /// The key; empty for none.
        package var key: String
        /// When the rule was evaluated.
        package var decidedAt: Instant
        /// What happened.
        package var outcome: RuleOutcome

        /// Creates a decision.
        package init(rule: String, point: String, key: String, decidedAt: Instant, outcome: RuleOutcome) {
            self.rule = rule
            self.point = point
            self.key = key
            self.decidedAt = decidedAt
            self.outcome = outcome
        }
    }

    /// A message that was sent, or that is waiting for the end of the quiet hours.
    package struct Message: Sendable, Hashable {
        /// The code of the decision rule. Nil for other messages, such as reminders and notices.
        package var rule: String?
        /// When it was or will be sent.
        package var at: Instant
        /// Whether it counts for `most_per_day`. False for prompts in the app.
        package var countsForDay: Bool

        /// Creates a message; by default it counts for `most_per_day`.
        package init(rule: String?, at: Instant, countsForDay: Bool = true) {
            self.rule = rule
            self.at = at
            self.countsForDay = countsForDay
        }
    }

    /// An item that an edition of a collection added.
    package struct Publication: Sendable, Hashable {
        /// The code of the collection.
        package var collection: String
        /// The number of the edition.
        package var edition: Int
        /// The code of the new item.
        package var item: String
        /// When the edition was published.
        package var publishedAt: Instant

        /// Creates a publication.
        package init(collection: String, edition: Int, item: String, publishedAt: Instant) {
            self.collection = collection
            self.edition = edition
            self.item = item
            self.publishedAt = publishedAt
        }
    }

    /// Part of the draws.
    package var enrolment: EnrolmentID
    /// The secret seed of the study's draws.
    package var seed: [UInt8]
    /// The participant's own data, as `RulePlan.needs` demands. Its zones give the local times.
    package var variables: VariableFacts
    /// linkId -> value in force, over all settings questionnaires of the study.
    package var settings: [String: JSON]
    /// linkId -> completion of the newest sheet of its settings questionnaire. Absent if the participant has changed
    /// nothing.
    package var settingsSince: [String: Instant]
    /// The last sheet or walk; nil if there is none.
    package var lastActivity: Instant?
    /// Since when the participant follows this version of the study. Earlier points are left out. `Instant.minimum` if
    /// since the enrolment.
    package var followedFrom: Instant
    /// The stored decisions, in any order.
    package var decisions: [Decision]
    /// Messages of at least the longest `cooldown` and `limit` of the rules and of the last two days, in any order.
    package var messages: [Message]
    /// The codes of the awards that the participant has.
    package var awards: Set<String>
    /// In any order.
    package var publications: [Publication]
    /// Whether the participant has paused or switched messages off.
    package var isMuted: Bool

    /// Creates the facts; by default nothing has happened.
    package init(
        enrolment: EnrolmentID, seed: [UInt8], variables: VariableFacts, settings: [String: JSON] = [:],
        settingsSince: [String: Instant] = [:], lastActivity: Instant? = nil,
        followedFrom: Instant = .minimum, decisions: [Decision] = [],
        messages: [Message] = [], awards: Set<String> = [], publications: [Publication] = [],
        isMuted: Bool = false
    ) {
        self.enrolment = enrolment
        self.seed = seed
        self.variables = variables
        self.settings = settings
        self.settingsSince = settingsSince
        self.lastActivity = lastActivity
        self.followedFrom = followedFrom
        self.decisions = decisions
        self.messages = messages
        self.awards = awards
        self.publications = publications
        self.isMuted = isMuted
    }
}

extension Study {
    /// The values in force over all settings questionnaires, and since when each item has a sheet.
    /// - Parameters:
    ///   - sheets: the sheets of the settings questionnaires with all their answers; other sheets are ignored.
    ///   - now: later sheets are ignored.
    package func settings(
        from sheets: [VariableFacts.Sheet], at now: Instant
    ) -> (values: [String: JSON], since: [String: Instant]) {
        let current = sheets.filter { settings.contains($0.questionnaire) }.current(at: now)
        var values: [String: JSON] = [:]
        var since: [String: Instant] = [:]
        for questionnaire in settings.compactMap({ questionnaire($0) }) {
            var newest: AnswerSheet?
            if let sheet = current.last(where: { $0.questionnaire == questionnaire.code }) {
                if case .sheet(let answers)? = sheet.answers { newest = answers }
                for item in questionnaire.questions { since[item.linkId] = sheet.completedAt }
            }
            for member in SettingValues(newest: newest, of: questionnaire).values {
                values[member.name] = member.value
            }
        }
        return (values, since)
    }
}

/// Reads the values of settings that rules use.
struct RuleSettings {
    let values: [String: JSON]

    /// Whether a boolean setting is on. A setting without a value is off.
    func isOn(_ item: String) -> Bool { values[item]?.bool == true }

    /// The number of a literal or of a setting; nil for a setting without a whole number.
    func number(_ input: DecisionPoint.Input<Int>) -> Int? {
        switch input {
        case .literal(let number): number
        case .setting(let item): values[item].flatMap { Self.numbers(in: $0).first }
        }
    }

    /// The numbers of literals and settings, sorted, each once. A setting of several values contributes all of them.
    func numbers(_ inputs: [DecisionPoint.Input<Int>]) -> [Int] {
        let numbers = inputs.flatMap { input in
            switch input {
            case .literal(let number): [number]
            case .setting(let item): values[item].map { Self.numbers(in: $0) } ?? []
            }
        }
        return Set(numbers).sorted()
    }

    /// The local times of literals and settings, sorted, each once.
    func times(_ inputs: [DecisionPoint.Input<LocalTime>]) -> [LocalTime] {
        let times = inputs.flatMap { input in
            switch input {
            case .literal(let time): [time]
            case .setting(let item): values[item].map { Self.times(in: $0) } ?? []
            }
        }
        return Set(times).sorted()
    }

    private static func times(in value: JSON) -> [LocalTime] {
        (value.array ?? [value]).compactMap { $0.string.flatMap { LocalTime($0) } }
    }

    /// Whole numbers, their decimal digits as codes, or codes of weekdays.
    private static func numbers(in value: JSON) -> [Int] {
        (value.array ?? [value]).compactMap { element in
            element.int ?? element.string.flatMap { number(ofCode: $0) }
        }
    }

    /// The number that an option code means: digits, or the first three letters of a weekday.
    static func number(ofCode code: String) -> Int? {
        Int(code) ?? weekdays.firstIndex { code.hasPrefix($0) }.map { $0 + 1 }
    }

    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
}
