import SaunterCore

/// `meta/value_labels.csv`: what codes mean, in every language, with the first and the last version in which
/// they read so.
struct ValueLabels {
    private struct Label {
        let set: String
        let code: String
        let language: String
        var from: String
        var to: String
        var text: String
    }

    private let definitions: StudyDefinitions

    init(_ definitions: StudyDefinitions) {
        self.definitions = definitions
    }

    var csv: [UInt8] {
        var text = CSVText(header: ["set", "code", "label", "lang", "from_version", "to_version"])
        for label in definitions.instruments.flatMap(labels) {
            text.add([label.set, label.code, label.text, label.language, label.from, label.to])
        }
        for (set, codes) in Self.fixedSets {
            for (code, label) in codes { text.add([set, code, label, "en", nil, nil]) }
        }
        return text.bytes
    }

    /// In the order of items, ranks of options, languages and versions.
    private func labels(_ instrument: InstrumentHistory) -> [Label] {
        (instrument.items + instrument.repeatedItems).flatMap { history -> [Label] in
            guard let set = history.valueSet else { return [] }
            return history.rankedOptions.flatMap { option in
                instrument.languages.flatMap { language in
                    runs(set: set, code: option.value.text, language: language, history, instrument)
                }
            }
        }
    }

    /// One label per run of versions with the same words; a version that lacks the option ends a run.
    private func runs(
        set: String, code: String, language: String, _ history: ItemHistory, _ instrument: InstrumentHistory
    ) -> [Label] {
        var runs: [Label] = []
        var isRunning = false
        for questionnaire in instrument.versions {
            var words = questionnaire.text[language]?.options[history.linkId]?[code]
            if words == nil, history.newest.type == .openChoice, code == Item.otherCode,
                questionnaire.text[language]?.items[history.linkId] != nil
            {
                words = "own words"
            }
            defer { isRunning = words != nil }
            guard let words else { continue }
            if isRunning, let last = runs.indices.last, runs[last].text == words {
                runs[last].to = questionnaire.version
            } else {
                let version = questionnaire.version
                runs.append(
                    Label(set: set, code: code, language: language, from: version, to: version, text: words))
            }
        }
        return runs
    }

    /// The codes that Saunter itself gives.
    static let fixedSets = people + measurements + scoresOverTime + reminders + design

    private static let measurements: [(set: String, codes: [(code: String, label: String)])] = [
        ("occasion_status", OccasionState.allCases.map { ($0.rawValue, $0.label) }),
        ("standing", Standing.allCases.map { ($0.rawValue, $0.label) }),
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
        case .declined: "Declined"
        case .paused: "Set aside: the participant had paused"
        case .cancelled: "Set aside: no longer planned"
        case .notApplicable: "Set aside: does not apply"
        case .nonexistent: "Set aside: there was no such local day"
        case .withdrawn: "Set aside: the participant had left"
        }
    }
}

extension Standing {
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
        case .outOfRange: "The result was outside of the scale's range"
        case .declined: "Too few items were answered, and the others were refused"
        case .excluded: "The scoring key excludes the case"
        case .notInTable: "The result lies in no bin or row of a table"
        case .undefined: "There is no such number, as when dividing by zero"
        case .noCovariate: "Something that the norm depends on is not known"
        }
    }
}
