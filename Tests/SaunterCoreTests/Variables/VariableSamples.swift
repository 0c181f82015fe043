import Foundation
import Testing

@testable import SaunterCore

/// A study with entries of every kind, and histories of its participants.
enum VariableSamples {
    private static func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void = { _ in })
        -> Item
    {
        var item = Item(linkId: linkId, type: type)
        change(&item)
        return item
    }

    private static func codes(_ codes: [String], weights: [Double] = []) -> [ResponseOption] {
        codes.enumerated().map { index, code in
            ResponseOption(value: .code(code), weight: weights.indices.contains(index) ? weights[index] : nil)
        }
    }

    /// The mood diary. Each feeling has a weight, except `unsure`.
    static let log = questionnaire(
        "log",
        [
            item("mood", .integer), item("calm", .decimal), item("slept", .boolean), item("note", .text),
            item("weight", .quantity) { $0.unitOption = ["kg"] },
            item("born", .date), item("bed", .time), item("seen", .dateTime),
            item("feeling", .choice) {
                $0.answerOption = codes(["sad", "happy", "unsure"], weights: [20, 90])
            },
            item("topics", .choice) {
                $0.repeats = true
                $0.answerOption = codes(["work", "home", "family"])
            },
            item("rating", .choice) { $0.answerOption = (1...3).map { ResponseOption(value: .integer($0)) } },
            item("kind", .choice) { $0.answerOption = codes(["a", "b"]) },
            item("place", .location), item("doses", .integer) { $0.repeats = true },
            item("trips", .group) {
                $0.repeats = true
                $0.item = [item("length", .integer)]
            },
        ],
        scoring: ScoringKey(version: "1.0.0", scales: [Scale(id: "level", items: ["mood"], method: .sum)]))
    static let area = questionnaire(
        "area",
        ["stress", "past", "meaning"].map { name in
            item(name, .choice) { $0.answerOption = codes(["red", "amber", "green"]) }
        } + ["stress_done", "past_done"].map { item($0, .integer) })
    static let goal = questionnaire(
        "goal",
        [item("text", .string), item("often", .choice) { $0.answerOption = codes(["daily", "weekly"]) }])
    static let goalDone = questionnaire("goal_done", [item("effort", .integer)])
    static let goalEnd = questionnaire("goal_end", [item("why", .string)])
    static let breathing = questionnaire("breathing", [item("minutes", .integer)])

    private static func questionnaire(_ code: String, _ items: [Item], scoring: ScoringKey? = nil)
        -> Questionnaire
    {
        let text = QuestionnaireText(title: code, items: [:], options: [:])
        return Questionnaire(
            code: code, version: "1.0.0", item: items, text: ["en": text], languages: ["en"], scoring: scoring
        )
    }

    static func study(_ variables: [TailoringVariable] = []) -> Study {
        var study = Sample.study([])
        study.zone = Zone("Europe/Berlin") ?? .utc
        study.questionnaires = [log, area, goal, goalDone, goalEnd, breathing]
        study.anyTime = [
            "log", "area", "breathing",
            AnyTimeRule(questionnaire: "goal", isActiveOne: true, endsWith: "goal_end"),
            AnyTimeRule(questionnaire: "goal_done", refersTo: .init(questionnaire: "goal")),
            AnyTimeRule(questionnaire: "goal_end", refersTo: .init(questionnaire: "goal")),
        ]
        study.events = [StudyEvent(code: "move", update: .mutable)]
        study.features = [StudyFeature(code: "diary")]
        study.notificationRules = [
            NotificationRule(code: "come-back", trigger: .inactivity, firstAfter: 86_400)
        ]
        study.schedules = [
            Sample.schedule(
                "evening", asks: "log",
                slots: [
                    Slot(
                        opening: .fixed(LocalTime(hour: 18, minute: 0) ?? .midnight), dueAfter: 3600,
                        closeAfter: 7200)
                ])
        ]
        study.variables = variables
        return study
    }

    static func sheetID(_ number: Int) -> SheetID {
        SheetID(String(format: "00000000-0000-4000-8000-%012d", number)) ?? SheetID(UUID())
    }

    /// The value of the first variable of a study.
    static func value(
        _ variables: TailoringVariable..., from facts: VariableFacts, at now: Instant
    ) -> VariableValue? {
        VariablePlan(study(variables)).values(of: [variables[0].id], from: facts, at: now).first
    }
}

extension VariableFacts {
    /// A participant who enrolled in a zone on 2026-10-20.
    init(in zone: String, _ sheets: [Sheet] = []) throws {
        let enrolledAt = try at("2026-10-20T08:00:00Z")
        self.init(
            enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: try SaunterCoreTests.zone(zone))],
            sheets: sheets)
    }
}

extension VariableFacts.Sheet {
    /// A sheet with some answers.
    /// - Parameter offset: the stored offset in minutes.
    init(
        _ number: Int, _ questionnaire: String, _ completedAt: String, _ answers: [String: Answer] = [:],
        offset: Int = 60, revision: Int = 1, refersTo: Int? = nil, source: String = "participant",
        duplicateOf: Int? = nil, deletedAt: String? = nil, scores: [String: Double] = [:]
    ) throws {
        let sheet = AnswerSheet(
            questionnaire: questionnaire, version: "1.0.0", states: answers.mapValues { .answered($0) },
            questions: answers.keys.sorted())
        self.init(
            id: VariableSamples.sheetID(number), revision: revision, questionnaire: questionnaire,
            completedAt: try at(completedAt), offsetMinutes: offset,
            refersTo: refersTo.map { VariableSamples.sheetID($0) }, source: source,
            duplicateOf: duplicateOf.map { VariableSamples.sheetID($0) },
            deletedAt: try deletedAt.map { try at($0) },
            answers: .sheet(sheet), scores: scores)
    }
}

extension Answer {
    static func code(_ code: String) -> Answer { .option(.code(code)) }
    static func codes(_ codes: String...) -> Answer { .options(codes.map { .code($0) }) }
}

extension TailoringVariable.Source {
    static func log(_ item: String? = nil) -> Self { .entry(.init(["log"], item.map { .item($0) })) }
}

extension VariableValue {
    /// Value, n, reason, best and last date; then the entries. Numbers have at most six decimal places.
    var summary: String {
        let parts = [
            Self.text(value), "n\(n)", reason?.rawValue, best.map { "best \($0)" }, lastOn.map { "on \($0)" },
        ]
        let head = parts.compactMap(\.self).joined(separator: " ")
        guard let entries else { return head }
        return "\(head): " + entries.map { "\($0.key) \($0.summary)" }.joined(separator: ", ")
    }

    fileprivate static func text(_ value: ExpressionValue) -> String {
        if case .number(let number) = value {
            return JSON.double((number.double * 1e6).rounded() / 1e6).text
        }
        return value.json.text.replacing("\"", with: "")
    }
}

extension VariableValue.Entry {
    var summary: String {
        let parts = [
            VariableValue.text(value), "n\(n)", reason?.rawValue, best.map { "best \($0)" },
            lastOn.map { "on \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}
