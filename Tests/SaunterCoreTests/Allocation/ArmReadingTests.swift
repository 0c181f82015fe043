import Testing

@testable import SaunterCore

/// Which texts name an arm, and which variables can show the arm of a participant.
@Suite struct ArmReadingTests {
    /// The arms `slow-walk`, titled "Otters", and `rest`. One schedule is only for `rest`.
    private static func study(_ variables: [TailoringVariable], _ rules: [DecisionRule] = []) -> Study {
        var study = RuleSamples.study(rules, variables)
        study.arms = [Arm(code: "slow-walk", ratio: 1), Arm(code: "rest", ratio: 1)]
        for language in study.text.keys {
            study.text[language]?.arms = ["slow-walk": TitledText(title: "Otters", text: "You walk slowly.")]
        }
        study.anyTime = ["log"]
        let slots = study.schedules[0].slots
        func schedule(_ id: String, asks questionnaire: String, arms: [String]) -> Schedule {
            Schedule(
                id: id, questionnaire: questionnaire, arms: arms, recurrence: .every(days: 1, untilDay: 3),
                slots: slots)
        }
        study.schedules = [
            schedule("evening", asks: "area", arms: []),
            schedule("night", asks: "breathing", arms: ["rest"]),
            schedule("both", asks: "goal", arms: ["rest", "slow-walk"]),
        ]
        return study
    }

    private static func mentions(_ study: Study) -> ArmMentions {
        ArmMentions(study.arms.map(\.code) + ["old-arm"], titlesOf: study)
    }

    private static func reading(_ variables: [TailoringVariable], _ rules: [DecisionRule] = []) -> Set<String>
    {
        let study = study(variables, rules)
        return study.variablesReadingArms(mentions(study))
    }

    private static let texts: [(String, Bool)] = [
        ("slow-walk", true), ("slow_walk_minutes >= 3", true), ("group = 'Slow walk'", true),
        ("OTTERS", true), ("otters_seen", true), ("days in old.arm", true), ("rest", true),
        ("walk_minutes", false), ("slow", false), ("slow-walks", false), ("resting", false),
        ("walk slow", false), ("", false), ("otter", false),
    ]

    @Test(arguments: texts) func `a text names an arm by the words of its code or title`(
        text: String, names: Bool
    ) {
        #expect(Self.mentions(Self.study([])).isNamed(in: text) == names)
        // Names of members do not count.
        #expect(Self.mentions(Self.study([])).isNamed(inTextsOf: [JSON.string(text)]) == names)
        #expect(
            !Self.mentions(Self.study([])).isNamed(
                inTextsOf: .object(JSONObject([.init(name: text, value: true)]))))
    }

    @Test func `variables that read what only one arm has can show the arm`() {
        func count(_ id: String, _ source: TailoringVariable.Source) -> TailoringVariable {
            .init(id: id, kind: .count, source: source)
        }
        let found = Self.reading([
            count("nights", .occasion(schedule: "night", .offered)),
            count("evenings", .occasion(schedule: "evening", .offered)),
            count("both", .occasion(schedule: "both", .offered)),
            count("all", .occasion(schedule: nil, .missed)),
            count("breaths", .entry(.init(["breathing"]))), count("areas", .entry(.init(["area"]))),
            count("logs", .entry(.init(["log"]))), count("goals", .entry(.init(["goal"]))),
            .init(
                id: "since_breath", kind: .count, source: .entry(.init(["log"])),
                window: .during(questionnaire: "breathing")),
            count("walks", .walk(nil)),
        ])

        #expect(found == ["nights", "all", "breaths", "since_breath"])
    }

    @Test func `variables that name an arm, or are computed from such variables, can show the arm`() {
        let found = Self.reading([
            .init(id: "twice", kind: .expression("named + 1")),
            .init(
                id: "named", kind: .count, source: .entry(.init(["log"])), condition: "note = 'slow walk'"),
            .init(id: "change", kind: .change(of: "named", since: nil)),
            .init(id: "other", kind: .expression("logs * 2")),
            .init(id: "logs", kind: .count, source: .entry(.init(["log"]))),
        ])

        #expect(found == ["named", "twice", "change"])
    }

    @Test func `messages of rules that read such variables can show the arm`() {
        let rules = [
            RuleSamples.message("often", RuleSamples.daily("09:00")) { $0.condition = "nights > 3" },
            RuleSamples.message("always", RuleSamples.daily("10:00")),
            RuleSamples.message("then", .reached(.init(condition: "sent_often > 1"))),
        ]
        func sent(_ rule: String?) -> TailoringVariable {
            .init(id: "sent_\(rule ?? "any")", kind: .count, source: .message(rule: rule, .sent))
        }
        let nights = TailoringVariable(
            id: "nights", kind: .count, source: .occasion(schedule: "night", .offered))

        #expect(
            Self.reading([sent("then"), sent("often"), sent("always"), sent(nil), nights], rules)
                == ["nights", "sent_often", "sent_then", "sent_any"])
        #expect(Self.reading([sent("always"), sent(nil)], [rules[1]]) == [])
    }

    @Test func `what only one arm reaches through an anchor, a phase or a rule can show the arm`() {
        func count(_ id: String, _ source: TailoringVariable.Source) -> TailoringVariable {
            .init(id: id, kind: .count, source: source)
        }
        let variables = [
            count("areas", .occasion(schedule: "evening", .offered)),
            count("area_sheets", .entry(.init(["area"]))),
            count("goals", .occasion(schedule: "both", .offered)),
            count("goal_sheets", .entry(.init(["goal"]))),
            count("logs", .entry(.init(["log"]))), count("sent", .message(rule: "breathed", .sent)),
            count("sent_daily", .message(rule: "always", .sent)), count("relaxed", .event("relaxed")),
            count("moved", .event("moved")),
        ]
        let rules = [
            RuleSamples.message("breathed", .entry(questionnaire: "breathing")),
            RuleSamples.message("always", RuleSamples.daily("10:00")),
            DecisionRule(
                code: "relaxed", point: .entry(questionnaire: "breathing"), action: .event("relaxed")),
            DecisionRule(code: "moved", point: .entry(questionnaire: "log"), action: .event("moved")),
        ]
        var study = Self.study(variables, rules)
        #expect(study.variablesReadingArms(Self.mentions(study)) == ["sent", "relaxed"])

        // `breathing` is asked in the arm `rest` only.
        study.schedules[0].anchor = .completion(questionnaire: "breathing")
        #expect(
            study.variablesReadingArms(Self.mentions(study)) == ["sent", "relaxed", "areas", "area_sheets"])

        study.phases = [Phase(code: "later", start: .firstCompletion(questionnaire: "area"), end: .studyEnd)]
        study.schedules[2].phase = "later"
        #expect(
            study.variablesReadingArms(Self.mentions(study))
                == ["sent", "relaxed", "areas", "area_sheets", "goals", "goal_sheets"])
    }
}
