import Testing

@testable import SaunterCore

@Suite struct ArmDifferencesTests {
    private static func schedule(
        _ id: String, asks questionnaire: String, arms: [String] = [], anchor: Anchor = .enrolment
    ) throws -> Schedule {
        var schedule = try Sample.schedule(
            id, asks: questionnaire, anchor: anchor, slots: [Sample.slot("18:00", due: 3600, close: 7200)])
        schedule.arms = arms
        return schedule
    }

    /// The parts as texts, such as `schedule daily: control`.
    private static func parts(_ study: Study, _ library: Library? = nil) -> [String] {
        study.armDifferences(library).parts.map {
            "\($0.kind.rawValue) \($0.code): \($0.arms.joined(separator: " "))"
        }
    }

    @Test func `arms with the same schedules, rules and ratios have no differences`() throws {
        let study = Sample.study([try Self.schedule("daily", asks: "evening")])

        #expect(study.armDifferences() == ArmDifferences(parts: [], hasUnequalRatios: false))
    }

    @Test func `a questionnaire is different only if no other schedule asks the other arms`() throws {
        let study = Sample.study([
            try Self.schedule("daily", asks: "evening"),
            try Self.schedule("extra", asks: "evening", arms: ["experimental"]),
            try Self.schedule("body", asks: "body_scan", arms: ["experimental"]),
            try Self.schedule("both", asks: "who_5", arms: ["control", "experimental"]),
        ])

        #expect(
            Self.parts(study) == [
                "questionnaire body_scan: experimental", "schedule extra: experimental",
                "schedule body: experimental",
            ])
    }

    @Test func `a schedule after a questionnaire reaches only the arms that are asked it`() throws {
        var study = Sample.study([
            try Self.schedule("third", asks: "three", anchor: .firstCompletion(questionnaire: "two")),
            try Self.schedule("second", asks: "two", anchor: .completion(questionnaire: "one")),
            try Self.schedule("first", asks: "one", arms: ["control"]),
        ])
        #expect(
            Self.parts(study) == [
                "questionnaire three: control", "questionnaire two: control", "questionnaire one: control",
                "schedule third: control", "schedule second: control", "schedule first: control",
            ])

        study.anyTime = [AnyTimeRule(questionnaire: "one")]
        #expect(Self.parts(study) == ["schedule first: control"])
    }

    @Test func `a phase that begins with a questionnaire reaches only the arms that are asked it`() throws {
        var study = Sample.study([
            try Self.schedule("first", asks: "one", arms: ["control"]),
            try Self.schedule("rest", asks: "two"),
        ])
        study.phases = [Phase(code: "later", start: .firstCompletion(questionnaire: "one"), end: .studyEnd)]
        study.schedules[1].phase = "later"

        #expect(Self.parts(study).contains("questionnaire two: control"))
    }

    @Test func `rules and collections are different by their questionnaire and their items`() throws {
        var study = Sample.study([
            try Self.schedule("daily", asks: "evening"),
            try Self.schedule("body", asks: "body_scan", arms: ["control"]),
        ])
        func tip(_ collection: String) -> DecisionRule.Action {
            .message(.init(content: .init(collection: collection, selection: .draw)))
        }
        study.rules = [
            DecisionRule(code: "thanks", point: .entry(questionnaire: "evening"), action: .alert(about: "x")),
            DecisionRule(
                code: "scanned", point: .entry(questionnaire: "body_scan"), action: .alert(about: "x")),
            DecisionRule(code: "tip", point: .entry(questionnaire: "evening"), action: tip("tips")),
            DecisionRule(code: "quote", point: .entry(questionnaire: "evening"), action: tip("quotes")),
        ]
        let library = Library(collections: [
            ContentCollection(
                code: "tips", title: [:], fields: [],
                items: [ContentItem(id: "slow", arms: ["experimental"]), ContentItem(id: "calm")]),
            ContentCollection(
                code: "quotes", title: [:], fields: [],
                items: [ContentItem(id: "both", arms: ["control", "experimental"]), ContentItem(id: "all")]),
        ])

        #expect(
            Self.parts(study, library) == [
                "questionnaire body_scan: control", "schedule body: control", "rule scanned: control",
                "rule tip: experimental", "collection tips: experimental",
            ])
    }

    @Test func `the signal during walks and unequal ratios are differences`() throws {
        var study = Sample.study([try Self.schedule("daily", asks: "evening")])
        study.walking?.targetFeedbackArms = ["experimental"]
        study.arms[1].ratio = 2

        #expect(Self.parts(study) == ["walk_signal target_feedback: experimental"])
        #expect(study.armDifferences().hasUnequalRatios)
    }
}
