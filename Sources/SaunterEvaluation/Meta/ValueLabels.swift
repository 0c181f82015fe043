import SaunterCore
import SaunterStatisticsFiles
import SaunterStore

/// `meta/value_labels.csv`: the labels of codes in every language, with the first and the last version that has each
/// label.
struct ValueLabels {
    private struct Label {
        let set: String
        let code: String
        let language: String
        var from: String
        var to: String
        var text: String
        /// What the option counts in scores, if it has a separate weight.
        var weight: String?
    }

    private let definitions: StudyDefinitions

    init(_ definitions: StudyDefinitions) {
        self.definitions = definitions
    }

    var csv: [UInt8] {
        var text = CSVText(header: ["set", "code", "label", "lang", "from_version", "to_version", "weight"])
        for label in definitions.instruments.flatMap(labels) {
            text.add([
                label.set, label.code, label.text, label.language, label.from, label.to, label.weight,
            ])
        }
        for label in contentLabels {
            text.add([label.set, label.code, label.text, label.language, nil, nil, nil])
        }
        for (set, codes) in Self.fixedSets {
            for (code, label) in codes { text.add([set, code, label, "en", nil, nil, nil]) }
        }
        return text.bytes
    }

    /// The labels in the order of items, ranks of options, languages and versions.
    private func labels(_ instrument: InstrumentHistory) -> [Label] {
        (instrument.items + instrument.repeatedItems).flatMap { history -> [Label] in
            guard let set = history.valueSet else { return [] }
            return history.rankedOptions.flatMap { option in
                instrument.languages.flatMap { language in
                    runs(set: set, of: option, language: language, history, instrument)
                }
            }
        }
    }

    /// The labels of the live edition of the library: of each collection, then of the columns that name items.
    private var contentLabels: [(set: String, code: String, language: String, text: String)] {
        let content = definitions.contentLabels
        let sets =
            content.collections.map { (set: $0.set, items: $0.items) }
            + [(set: ContentLabels.columnSet, items: content.columnItems)]
        return sets.flatMap { set, items in
            items.flatMap { item in
                content.languages.compactMap { language in
                    item.labels[language].map { (set, item.id, language, $0) }
                }
            }
        }
    }

    /// One label per run of consecutive versions with the same text. A version without the option ends a run.
    private func runs(
        set: String, of option: ResponseOption, language: String, _ history: ItemHistory,
        _ instrument: InstrumentHistory
    ) -> [Label] {
        let code = option.value.text
        var runs: [Label] = []
        var isRunning = false
        for questionnaire in instrument.versions {
            var text = questionnaire.text[language]?.options[history.linkId]?[code]
            if text == nil, history.newest.type.acceptsFreeText, code == Item.otherCode,
                questionnaire.text[language]?.items[history.linkId] != nil
            {
                text = "own words"
            }
            defer { isRunning = text != nil }
            guard let text else { continue }
            if isRunning, let last = runs.indices.last, runs[last].text == text {
                runs[last].to = questionnaire.version
            } else {
                let version = questionnaire.version
                runs.append(
                    Label(
                        set: set, code: code, language: language, from: version, to: version, text: text,
                        weight: option.weight?.shortest))
            }
        }
        return runs
    }

    /// The codes that Saunter defines.
    static let fixedSets = participants + measurements + entries + scoresOverTime + reminders + design

    private static let measurements: [(set: String, codes: [(code: String, label: String)])] = [
        (
            "weekday",
            zip(
                1...,
                ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
            ).map { (String($0), $1) }
        ),
        ("occasion_status", OccasionState.allCases.map { ($0.rawValue, $0.label) }),
        ("standing", Timeliness.allCases.map { ($0.rawValue, $0.label) }),
        ("score_reason", ScoreReason.allCases.map { ($0.rawValue, $0.label) }),
        (
            "missing",
            MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }.map { ($0.code, $0.label) }
        ),
    ]
}

extension OccasionState {
    fileprivate var label: String {
        switch self {
        case .upcoming: "Not yet open"
        case .open: "Open"
        case .overdue: "Open, but past due"
        case .completedOnTime: "Answered on time"
        case .completedLate: "Answered after it was due"
        case .missed: "Closed unanswered"
        case .paused: "Excluded: the participant had paused"
        case .cancelled: "Excluded: no longer planned"
        case .notApplicable: "Excluded: does not apply"
        case .nonexistent: "Excluded: there was no such local day"
        case .withdrawn: "Excluded: the participant had left"
        }
    }
}

extension Timeliness {
    fileprivate var label: String {
        switch self {
        case .early: "Before the window opened"
        case .onTime: "In the window, not after due"
        case .late: "After due"
        case .outOfWindow: "After the window had closed"
        case .unscheduled: "Answers no occasion"
        }
    }
}

extension ScoreReason {
    fileprivate var label: String {
        switch self {
        case .tooFewAnswered: "Too few items were answered"
        case .notShown: "Too few items were answered, and all others were not shown"
        case .outOfRange: "The result was outside the range of the scale"
        case .declined: "Too few items were answered, and the others were refused"
        case .excluded: "The scoring key excludes the case"
        case .notInTable: "The result is in no bin or row of a table"
        case .undefined: "The number does not exist, for example because of a division by zero"
        case .noCovariate: "A covariate that a table needs is not known"
        }
    }
}

extension ValueLabels {
    /// The codes of tables about participants and usage events.
    static let participants: [(set: String, codes: [(code: String, label: String)])] = [
        ("enrolment_status", EnrolmentState.allCases.map { ($0.rawValue, $0.label) }),
        ("usage_event", UsageEventKind.allCases.map { ($0.rawValue, $0.label) }),
        ("rule_outcome", RuleOutcome.allCases.map { ($0.rawValue, $0.label) }),
        (
            "tombstone_kind",
            [
                ("excluded", "Excluded at the participant's request"),
                ("erased", "Erased at the participant's request"),
            ]
        ),
    ]
    /// The codes of study designs and observations.
    static let design: [(set: String, codes: [(code: String, label: String)])] = [
        ("allocation_method", Allocation.Method.allCases.map { ($0.rawValue, $0.label) }),
        ("account_kind", AccountKind.allCases.map { ($0.rawValue, $0.label) }),
        ("observation_modality", Observation.Modality.allCases.map { ($0.rawValue, $0.label) }),
    ]
}

extension AccountKind {
    fileprivate var label: String {
        switch self {
        case .anonymous: "Without an address and a password"
        case .registered: "With an address and a password"
        }
    }
}

extension RuleOutcome {
    fileprivate var label: String {
        switch self {
        case .message: "A message"
        case .award: "An award"
        case .event: "An event of the study"
        case .alert: "An alert of the staff"
        case .report: "A report"
        case .muted: "None: the participant had paused, or had switched messages off"
        case .expired: "None: it was too late"
        case .when: "None: the condition did not hold"
        case .allowed: "None: a setting of the participant did not permit it"
        case .cooldown: "None: too soon after the last action of the rule"
        case .limit: "None: the limit of several rules was reached"
        case .randomisedOut: "None: the draw decided against it"
        case .quietHours: "None: the quiet hours end too late"
        case .dailyCap: "None: the daily maximum was reached"
        case .noContent: "None: no content for the participant"
        }
    }
}

extension EnrolmentState {
    fileprivate var label: String {
        switch self {
        case .active: "Takes part, or took part to the end"
        case .stopped: "Stopped before the end; the data are kept"
        case .excluded: "Excluded from datasets at the participant's request"
        }
    }
}

extension UsageEventKind {
    fileprivate var label: String {
        switch self {
        case .appOpened: "App opened"
        case .appClosed: "App closed"
        case .appCrashed: "App crashed"
        case .screenSeen: "Screen seen"
        case .promptDelivered: "Message delivered"
        case .promptOpened: "Message opened"
        case .promptDismissed: "Message dismissed"
        case .sheetBegun: "Answer sheet begun"
        case .sheetLeft: "Answer sheet left unfinished"
        case .permissionChanged: "Permission given or withdrawn"
        case .appUpdated: "App updated"
        case .featureOpened: "Feature opened"
        case .contentShown: "Content shown"
        case .contentPlayed: "Content played"
        case .contentCompleted: "Content played to the end"
        }
    }
}

extension Allocation.Method {
    fileprivate var label: String {
        switch self {
        case .simple: "A separate random draw per participant"
        case .permutedBlocks: "By one list of permuted blocks"
        case .stratifiedBlocks: "By a list of permuted blocks for each stratum"
        case .minimisation: "To the arm that balances the factors best"
        }
    }
}

extension Observation.Modality {
    fileprivate var label: String {
        switch self {
        case .sensed: "Measured by a sensor"
        case .selfReported: "Reported by the participant"
        }
    }
}

extension ValueLabels {
    /// The codes of tables about scores over time.
    static let scoresOverTime: [(set: String, codes: [(code: String, label: String)])] = [
        (
            "score_baseline",
            ChangeRule.Baseline.allCases.map { baseline in
                (
                    baseline.rawValue,
                    baseline == .first ? "The participant's first known score" : "The last known score before"
                )
            }
        ),
        ("score_verdict", ChangeRule.Verdict.allCases.map { ($0.rawValue, $0.label) }),
        ("change_reason", ChangeRule.Reason.allCases.map { ($0.rawValue, $0.label) }),
        (
            "window_reason",
            [
                ("too_few_scores", "Fewer known scores than the key requires"),
                ("other_definition", "The scores come from different scoring keys"),
                ("undefined", "The numbers are too large"),
            ]
        ),
    ]
}

extension ChangeRule.Verdict {
    fileprivate var label: String {
        switch self {
        case .improved: "Reliably better"
        case .unchanged: "No reliable change"
        case .worsened: "Reliably worse"
        }
    }
}

extension ChangeRule.Reason {
    fileprivate var label: String {
        switch self {
        case .noBaseline: "There is no known score before"
        case .noScore: "There is no score"
        case .otherDefinition: "The baseline comes from another scoring key"
        case .undefined: "The numbers are too large"
        }
    }
}

extension ValueLabels {
    /// The codes of tables about entries and variables, and the flags of sheets.
    static let entries: [(set: String, codes: [(code: String, label: String)])] = [
        ("episode_end", EntryEpisode.End.allCases.map { ($0.rawValue, $0.label) }),
        ("variable_reason", VariableValue.Reason.allCases.map { ($0.rawValue, $0.label) }),
        (
            "sheet_flag",
            [
                ("clock_skew", "The clock of the device was wrong"),
                ("completed_in_future", "Completed after it reached the server, by the corrected clock"),
                ("before_enrolment", "Completed before the enrolment"),
                ("no_occasion", "Needs an occasion and names none"),
                ("not_entitled", "Completed without the entitlement that the questionnaire needs"),
                ("over_daily_limit", "Above the daily maximum of its questionnaire; it fulfils no occasion"),
                ("entry_ended", "The entry to which it refers had ended"),
                ("client_disagreed", "The app did not show an item that the server shows"),
                ("purged", "Deleted for good: its answers, texts and scores were removed"),
            ]
                + OccasionExclusion.allCases.map {
                    ("occasion_\($0.rawValue)", "Its occasion was excluded: \($0.rawValue)")
                }
        ),
    ]
}

extension EntryEpisode.End {
    fileprivate var label: String {
        switch self {
        case .open: "Still active"
        case .replaced: "A later entry replaced it"
        case .ended: "An entry ended it"
        case .deleted: "The participant deleted it"
        }
    }
}

extension VariableValue.Reason {
    fileprivate var label: String {
        switch self {
        case .tooFew: "Too few records"
        case .undefined: "The value does not exist, for example because of a division by zero"
        }
    }
}

extension ValueLabels {
    /// The codes of the table `reminders`.
    static let reminders: [(set: String, codes: [(code: String, label: String)])] = [
        ("reminder_kind", ReminderKind.allCases.map { ($0.rawValue, $0.label) }),
        ("reminder_channel", ReminderChannel.allCases.map { ($0.rawValue, $0.label) }),
        ("reminder_state", states),
        ("suppression_reason", suppressions),
        // An attempt has an outcome of delivery, or the reason why nothing was sent.
        ("reminder_outcome", states + faults + suppressions),
    ]

    private static let states = ReminderState.allCases.map { (code: $0.rawValue, label: $0.label) }
    private static let faults = DeliveryFault.allCases.map { (code: $0.rawValue, label: $0.label) }
    private static let suppressions = SuppressionReason.allCases.map { (code: $0.rawValue, label: $0.label) }
}

extension ReminderKind {
    fileprivate var label: String {
        switch self {
        case .dueToday: "Daily mail about what is due today"
        case .atOpen: "When the window opens"
        case .afterOpen: "Some time after the window has opened"
        case .beforeDue: "Some time before it is due"
        case .beforeClose: "Some time before the window closes"
        case .snoozed: "At the time that the participant chose (snooze)"
        case .resend: "Again, because no device had confirmed the message before"
        case .notification: "By a notification rule of the study, without an occasion"
        case .rule: "By a decision rule of the study"
        }
    }
}

extension ReminderChannel {
    fileprivate var label: String {
        switch self {
        case .mail: "Mail"
        case .push: "Push notification"
        case .webhook: "The study's own programs"
        case .inApp: "Inbox in the app"
        }
    }
}

extension ReminderState {
    fileprivate var label: String {
        switch self {
        case .claimed: "About to be sent"
        case .retrying: "To be retried"
        case .sent: "Sent"
        case .failed: "Could not be sent"
        case .unknown: "Whether it was sent is not known"
        case .suppressed: "Not sent, for a reason"
        }
    }
}

extension SuppressionReason {
    fileprivate var label: String {
        switch self {
        case .withdrawn: "The participant had left"
        case .switchedOff: "The participant had switched reminders off"
        case .paused: "The participant had paused"
        case .completed: "Nothing was left to answer"
        case .closed: "The window had closed"
        case .snoozed: "The participant had snoozed it"
        case .moved: "The window had been moved to open later"
        case .excluded: "The occasion was excluded"
        case .dayOver: "The day of the mail was over"
        case .dailyCap: "The daily maximum of messages was reached"
        case .alreadyAnnounced: "A daily mail had announced it before it was moved to another day"
        case .noRecipient: "There was no recipient"
        }
    }
}

extension DeliveryFault {
    fileprivate var label: String {
        switch self {
        case .temporaryFailure: "Failed, to be retried"
        case .connectionLost: "Connection lost; it may have been delivered"
        case .refused: "Refused by the recipient's server"
        case .gone: "The address no longer existed"
        case .givenUp: "Failed, and too late for a retry"
        case .noChannel: "The participant had no channel that can receive it"
        }
    }
}
