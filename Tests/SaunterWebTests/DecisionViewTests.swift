import SaunterCore
import Testing

@testable import SaunterWeb

/// A decision as a sentence. It follows from the response of the API alone.
@Suite struct DecisionViewTests {
    private static func words(_ code: String = "en") throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: code)
    }

    /// A decision without a condition and without a draw, with other members.
    private static func decision(_ outcome: String, _ more: JSONObject = [:]) -> JSON {
        var object: JSONObject = [
            "participant_id": "P7K2M9", "point": "2026-11-21#2", "key": "",
            "moment": "2026-11-21T13:00:00.000Z", "decided_at": "2026-11-21T13:00:00.120Z",
            "outcome": .string(outcome), "available": true, "probability": nil, "draw": nil, "reached": nil,
            "when": nil, "variables": [:], "study_version": "1.0.0", "message_id": nil, "hidden": [],
        ]
        for member in more { object[member.name] = member.value }
        return .object(object)
    }

    private static func sentence(
        _ outcome: String, _ more: JSONObject = [:], language: String = "en"
    ) throws -> String {
        DecisionView(decision(outcome, more), try words(language)).sentence
    }

    private static let mood: JSONObject = [
        "when": "mood_week < 3", "variables": ["mood_week": 2.4], "probability": 0.5, "draw": 0.31,
    ]

    @Test func `a decision that acted states the values of its condition and the draw`() throws {
        #expect(
            try Self.sentence("message", Self.mood)
                == "Sent, because mood_week (2.4) < 3 and the draw 0.31 was below 0.5.")
        #expect(
            try Self.sentence("message", Self.mood, language: "de")
                == "Gesendet, denn mood_week (2,4) < 3 und die Zufallszahl 0,31 war kleiner als 0,5.")
        #expect(try Self.sentence("alert") == "Study team alerted. The rule has no condition.")
        #expect(
            try Self.sentence(
                "award", ["reached": "walks >= 7", "variables": ["walks": 7]])
                == "Award granted, because walks (7) >= 7.")
        // A condition with `or` is in brackets beside another reason.
        #expect(
            try Self.sentence(
                "event",
                [
                    "reached": "progress.it = 100", "when": "a or not b",
                    "variables": ["progress.it": 100, "a": nil, "b": false],
                ])
                == "Study event recorded, because progress.it (100) = 100 and (a (no value) or not b (false))."
        )
    }

    @Test func `a decision that was stopped states what stopped it`() throws {
        #expect(
            try Self.sentence("when", ["when": "mood < 3", "variables": ["mood": 4.25]])
                == "Not done, because this was not true: mood (4.25) < 3.")
        var drawn = Self.mood
        drawn["draw"] = 0.71
        #expect(
            try Self.sentence("randomised_out", drawn)
                == "Not done, because the draw 0.71 was not below 0.5.")
        // The values were removed with the answers.
        #expect(
            try Self.sentence("when", ["when": "mood < 3"])
                == "Not done, because this was not true: mood < 3.")
    }

    @Test func `what is hidden is not in the sentence and not in the row`() throws {
        let hidden: JSONObject = [
            "hidden": ["/when", "/variables/days"], "when": nil, "variables": ["days": nil, "mood": 2],
        ]
        let row = DecisionView(Self.decision("message", hidden), try Self.words()).row(of: "walks")

        #expect(try Self.sentence("message", hidden) == "Sent, because a condition was true that is hidden.")
        #expect(
            try Self.sentence("when", hidden) == "Not done, because the condition was not true. It is hidden."
        )
        guard case .text(let values) = row[4] else {
            Issue.record("the values are a text")
            return
        }
        #expect(values == "days = hidden; mood = 2")
    }

    @Test(arguments: RuleOutcome.allCases)
    func `every outcome has words and a sentence in every language`(outcome: RuleOutcome) throws {
        for language in try Words(WebFiles(folder: nil)).languages {
            let label = try #require(language["rules", "outcome_\(outcome.rawValue)"], "\(language.code)")
            #expect(language["rules", "said_\(outcome.rawValue)"] != nil, "\(language.code)")
            let view = DecisionView(Self.decision(outcome.rawValue, Self.mood), language)
            #expect(view.sentence.hasSuffix(".") && view.sentence.count > 20, "\(language.code)")
            #expect(!view.sentence.contains("_\(outcome.rawValue)") && !view.sentence.contains("{"))
            guard case .text(let text) = view.row(of: "walks")[2] else {
                Issue.record("the outcome is a text")
                return
            }
            #expect(text == label)
        }
    }

    @Test func `every decision point, action and recipient has words in every language`() throws {
        let actions = ["message", "award", "event", "alert", "report"]
        for language in try Words(WebFiles(folder: nil)).languages {
            for name in RuleOutcome.allCases.filter(\.isAction).map(\.rawValue) + actions {
                #expect(language["rules", "action_\(name)"] != nil, "\(language.code): \(name)")
            }
            for name in DecisionPoint.names {
                #expect(language["rules", "at_\(name)"] != nil, "\(language.code): \(name)")
            }
        }
    }

    @Test func `values of all types are written, and those of keys in their order`() throws {
        let keyed: JSON = [
            "value": nil, "n": 5,
            "entries": [["key": "9", "value": 3.5, "n": 2], ["key": "18", "value": nil, "n": 0]],
        ]
        let row = DecisionView(
            Self.decision(
                "message",
                [
                    "key": "sleep",
                    "variables": [
                        "by_hour": keyed, "topics": ["work", "home"], "slept": true, "area": "red",
                        "at": "2026-11-21T08:00:00.000Z",
                    ],
                ]), try Self.words()
        ).row(of: "walks")

        guard case .text(let values) = row[4], case .text(let point) = row[5] else {
            Issue.record("the values and the point are texts")
            return
        }
        #expect(
            values
                == "by_hour = 9: 3.5, 18: no value; topics = work, home; slept = true; area = red; at = 2026-11-21T08:00:00.000Z"
        )
        #expect(point == "2026-11-21#2 (sleep)")
    }

    private static let numbers: [(Double, String)] = [
        (2.4, "2.4"), (3, "3"), (2.96, "2.96"), (2.0 / 3, "0.6667"), (-0.25, "-0.25"), (0, "0"),
        (2.99999, "2.99999"), (1_234_567.125, "1234567.125"),
    ]

    @Test(arguments: numbers)
    func `a number reads as a whole number only if it is one`(value: Double, expected: String) throws {
        #expect(DecisionView.number(value, try Self.words()) == expected)
    }

    private static let draws: [(Double, Double, String)] = [
        (0.31, 0.5, "0.31"), (0.3149, 0.5, "0.31"), (0.4999, 0.5, "0.4999"), (0.50001, 0.5, "0.5"),
        (0.999_999, 1, "0.999999"), (0.3, 0.5, "0.3"),
    ]

    @Test(arguments: draws)
    func `a draw has the decimal places that its comparison with the probability needs`(
        draw: Double, probability: Double, expected: String
    ) throws {
        #expect(DecisionView.draw(draw, comparedWith: probability, try Self.words()) == expected)
    }
}
