@testable import SaunterCore

/// The variables of the companion study, and a participant with many sheets. `values(of:)` is one call of the
/// evaluator; a measurement needs nothing else.
enum CompanionSample {
    private static let areas = ["stress", "self_esteem", "past", "feelings", "fifth", "sixth", "meaning"]

    private static func choice(
        _ linkId: String, _ codes: [String], weights: [Double] = [], repeats: Bool = false
    ) -> Item {
        var item = Item(linkId: linkId, type: .choice)
        item.repeats = repeats
        item.answerOption = codes.enumerated().map { index, code in
            ResponseOption(value: .code(code), weight: weights.indices.contains(index) ? weights[index] : nil)
        }
        return item
    }

    private static let contexts = (1...14).map { "context_\($0)" }
    private static let recordings = (1...9).map { "recording_\($0)" }
    private static let colours = ["red", "amber", "green"]
    private static let frequencies = ["per_day", "daily", "weekly", "monthly"]

    private static let questionnaires: [Questionnaire] = [
        questionnaire(
            "checkin",
            [
                choice("feeling", ["happy", "calm", "sad", "angry", "unsure"], weights: [90, 80, 20, 10]),
                choice("contexts", contexts, repeats: true),
            ]),
        questionnaire("site_login", [Item(linkId: "member_since", type: .date)]),
        questionnaire("assessment", areas.map { choice($0, colours) }),
        questionnaire("pathways", (areas + ["healthy_habits"]).map { Item(linkId: $0, type: .integer) }),
        questionnaire("affirmation", [choice("mode", ["random", "chosen", "own", "none"])]),
        questionnaire("visualisation_use", [choice("recording", recordings)]),
        questionnaire("breathing_use", [Item(linkId: "minutes", type: .integer)]),
        questionnaire("journal_entry", [Item(linkId: "written", type: .boolean)]),
        questionnaire("prioritisation", [Item(linkId: "done", type: .boolean)]),
        questionnaire(
            "commitment",
            [
                Item(linkId: "text", type: .string), choice("how_often", frequencies),
                Item(linkId: "times_a_day", type: .integer),
            ]),
        questionnaire("commitment_done", [Item(linkId: "done", type: .boolean)]),
        questionnaire("commitment_end", [Item(linkId: "again", type: .boolean)]),
    ]

    private static func questionnaire(_ code: String, _ items: [Item]) -> Questionnaire {
        Questionnaire(
            code: code, version: "1.0.0", item: items,
            text: ["en": QuestionnaireText(title: code, items: [:], options: [:])], languages: ["en"])
    }

    private static func entry(_ code: String, _ item: String? = nil, active: Bool = false)
        -> TailoringVariable.Source
    {
        .entry(.init([code], item.map { .item($0) }, isActive: active))
    }

    private static func counts(_ id: String, _ code: String, _ item: String? = nil) -> TailoringVariable {
        TailoringVariable(id: id, kind: .count, source: entry(code, item), window: .thisMonth)
    }

    static let variables: [TailoringVariable] = [
        .init(id: "member_since", kind: .latest, source: entry("site_login", "member_since")),
        .init(id: "last_login", kind: .at(isOldest: false), source: entry("site_login")),
        .init(id: "last_assessment", kind: .at(isOldest: false), source: entry("assessment")),
        .init(id: "area", kind: .latest, source: .entry(.init(["assessment"], .items(areas)))),
        .init(
            id: "progress", kind: .latest,
            source: .entry(.init(["pathways"], .items(areas + ["healthy_habits"])))),
        .init(id: "progress_month", kind: .change(of: "progress", since: .thisMonth)),
        .init(id: "red", kind: .keys(of: "area"), condition: "value = 'red'"),
        .init(
            id: "red_unstarted", kind: .keys(of: "red"),
            condition: "not exists(progress.it) or progress.it = 0"),
        counts("checkins_month", "checkin"),
        .init(
            id: "checkins_by_day", kind: .count, source: entry("checkin"), window: .thisMonth, by: .day),
        .init(id: "checkin_streak", kind: .streak, source: entry("checkin")),
        .init(
            id: "contexts", kind: .top(most: 3), source: entry("checkin", "contexts"), by: .item("feeling")),
        .init(
            id: "feeling_today", kind: .statistic(.mean), source: entry("checkin", "feeling"), window: .today),
        .init(
            id: "last_opened", kind: .at(isOldest: false),
            source: .usage(.appOpened, feature: nil, isSeconds: false)),
        .init(
            id: "opened_month", kind: .count, source: .usage(.appOpened, feature: nil, isSeconds: false),
            window: .thisMonth),
        .init(
            id: "active_days_month", kind: .days, source: .usage(.appOpened, feature: nil, isSeconds: false),
            window: .thisMonth),
        .init(
            id: "seconds_month", kind: .statistic(.sum),
            source: .usage(.appClosed, feature: nil, isSeconds: true),
            window: .thisMonth),
        .init(id: "minutes_month", kind: .expression("seconds_month / 60")),
        .init(id: "uses", kind: .count, source: .usage(.featureOpened, feature: nil, isSeconds: false)),
        .init(id: "affirmation_mode", kind: .latest, source: entry("affirmation", "mode")),
        counts("affirmation_changes", "affirmation"),
        counts("visualisations_month", "visualisation_use"),
        .init(
            id: "favourite", kind: .top(most: 1), source: entry("visualisation_use", "recording"),
            window: .thisMonth),
        .init(id: "visualisation_streak", kind: .streak, source: entry("visualisation_use")),
        counts("breathing_month", "breathing_use"),
        .init(id: "breathing_streak", kind: .streak, source: entry("breathing_use")),
        counts("journal_month", "journal_entry"),
        .init(id: "journal_streak", kind: .streak, source: entry("journal_entry")),
        counts("prioritised_month", "prioritisation"),
        .init(
            id: "streaks", kind: .streak,
            source: .entry(.init(["checkin", "visualisation_use", "breathing_use", "journal_entry"])),
            by: .questionnaire),
        .init(id: "commitments", kind: .list(activeIn: .thisMonth), source: entry("commitment", "text")),
        .init(
            id: "done", kind: .count, source: entry("commitment_done"), window: .thisMonth, by: .refersTo),
        .init(id: "has_commitment", kind: .count, source: entry("commitment", active: true)),
        .init(id: "commitments_made", kind: .count, source: entry("commitment")),
        .init(
            id: "commitment_changes",
            kind: .expression("if(commitments_made > 1, commitments_made - 1, 0)")),
        .init(id: "commitment_text", kind: .latest, source: entry("commitment", "text", active: true)),
        .init(id: "begun", kind: .at(isOldest: false), source: entry("commitment", active: true)),
        .init(id: "how_often", kind: .latest, source: entry("commitment", "how_often", active: true)),
        .init(id: "times", kind: .latest, source: entry("commitment", "times_a_day", active: true)),
        .init(
            id: "done_now", kind: .count, source: entry("commitment_done"),
            window: .during(questionnaire: "commitment")),
        .init(
            id: "expected",
            kind: .expression(
                "if(how_often = 'per_day', times * days_since(begun), if(how_often = 'daily', days_since(begun), "
                    + "if(how_often = 'weekly', days_since(begun) / 7, days_since(begun) / 30)))")),
        .init(id: "done_share", kind: .expression("done_now / expected")),
    ]

    static let study: Study = {
        var study = Sample.study([])
        study.questionnaires = questionnaires
        study.anyTime = questionnaires.map { questionnaire in
            switch questionnaire.code {
            case "commitment":
                AnyTimeRule(questionnaire: questionnaire.code, isActiveOne: true, endsWith: "commitment_end")
            case "commitment_done", "commitment_end":
                AnyTimeRule(questionnaire: questionnaire.code, refersTo: .init(questionnaire: "commitment"))
            default: AnyTimeRule(questionnaire: questionnaire.code)
            }
        }
        study.variables = variables
        return study
    }()

    /// The last instant of the history.
    static let now = Instant(milliseconds: 1_795_000_000_000)

    /// A participant with as many sheets and usage events as wanted, over two years until `now`.
    static func facts(sheets count: Int) -> VariableFacts {
        var random = SeededCases(7)
        let step: Int64 = 2 * 365 * 86_400_000 / Int64(max(count, 1))
        let start = now.adding(milliseconds: -step * Int64(count))
        var facts = VariableFacts(enrolledAt: start, zones: [ZoneChange(from: start, zone: .utc)])
        var lastCommitment: SheetID?
        // Two of three sheets are check-ins and uses of functions.
        let often = ["checkin", "checkin", "checkin", "visualisation_use", "breathing_use", "journal_entry"]
        for number in 0..<count {
            let isOften = Int.random(in: 0..<3, using: &random) < 2
            let code =
                isOften
                ? often[Int.random(in: 0..<often.count, using: &random)]
                : questionnaires[Int.random(in: 0..<questionnaires.count, using: &random)].code
            let moment = start.adding(milliseconds: step * Int64(number))
            var sheet = VariableFacts.Sheet(
                id: VariableSamples.sheetID(number), questionnaire: code, completedAt: moment,
                offsetMinutes: 60,
                answers: answers(of: code, &random).map { .sheet($0) })
            if code == "commitment" { lastCommitment = sheet.id }
            if code.hasPrefix("commitment_") { sheet.refersTo = lastCommitment }
            facts.sheets.append(sheet)
            facts.usageEvents.append(
                .init(
                    event: ["app_opened", "app_closed", "feature_opened"][number % 3], happenedAt: moment,
                    offsetMinutes: 60, feature: "checkin",
                    seconds: number % 3 == 1 ? Double(number % 90) : nil))
        }
        facts.sheets.shuffle(using: &random)
        return facts
    }

    private static func answers(of code: String, _ random: inout SeededCases) -> AnswerSheet? {
        guard let questionnaire = questionnaires.first(where: { $0.code == code }) else { return nil }
        var states: [String: AnswerState] = [:]
        for item in questionnaire.item {
            let answer: Answer
            switch item.type {
            case .choice where item.repeats:
                let chosen = item.answerOption.filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
                guard !chosen.isEmpty else { continue }
                answer = .options(chosen.map(\.value))
            case .choice:
                answer = .option(
                    item.answerOption[Int.random(in: 0..<item.answerOption.count, using: &random)].value)
            case .integer: answer = .integer(Int.random(in: 0...100, using: &random))
            case .date: answer = .date(LocalDate(days: 20_000))
            case .boolean: answer = .boolean(true)
            default: answer = .text("words")
            }
            states[item.linkId] = .answered(answer)
        }
        return AnswerSheet(
            questionnaire: code, version: "1.0.0", states: states, questions: questionnaire.item.map(\.linkId)
        )
    }

    /// All values of a participant.
    static func values(of facts: VariableFacts, with plan: VariablePlan) -> [VariableValue] {
        plan.values(from: facts, at: now)
    }
}
