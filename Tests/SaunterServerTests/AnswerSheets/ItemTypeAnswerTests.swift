import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Answers to a questionnaire with every item type, the study `all-types`.
@Suite struct ItemTypeAnswerTests {
    private static let answers: JSON = [
        "consents": true, "cups": 3, "hours": 1.5, "nick": "grey_owl", "note": "calm", "day": "2026-01-02",
        "asleep": "2026-01-01T22:00:00.000Z", "awake": "2026-01-02T06:00:00.000Z", "lunch": "12:30",
        "mood": 4, "category": "bad", "emotions": ["anger"], "place": ["other": "at the lake"],
        "helpers": ["friends", ["other": "a neighbour"]], "weight": ["value": 70.5, "unit": "kg"],
        "height": 172,
        "goals": [
            ["shown": ["sleep", "sport"], "choice": "sport", "time_ms": 1800], ["sleep", "friends"],
        ], "words": ["one", "two"],
        "meds": [
            ["drug": "a", "dose": 2, "when": ["evening"], "relief": true], ["drug": "b", "dose": 9],
        ], "tense": 1, "tired": 2, "spot": ["lat": 47.37689, "lon": 8.54169, "accuracy_m": 31],
        "stops": [
            ["lat": 47.39, "lon": 8.55], ["lat": -33.87, "lon": 151.21, "accuracy_m": 5.5],
        ],
    ]

    /// Submits a sheet of a new participant and passes the response to the body.
    private func submit(
        _ changes: JSON, _ members: JSON = [:], _ body: @Sendable (Answer) throws -> Void
    ) async throws {
        let sheet = SampleSheet.body("all_types", Self.answers.with(changes), members)
        try await ServerFixture.withParticipant(in: "all-types") { ada async throws in
            try body(try await ada.put(ada.newRecord("answer-sheets"), sheet))
        }
    }

    @Test(
        arguments: [
            (["nick": "Grey"], "/answers/nick", "wrong_form"),
            (["emotions": ["joy"]], "/answers/emotions", "not_offered"),
            (["emotions": ["anger", "fear", "fear"]], "/answers/emotions/2", "duplicate_option"),
            (["weight": ["value": 70, "unit": "g"]], "/answers/weight/unit", "not_a_unit"),
            (["weight": ["value": 1.5, "unit": "[lb_av]"]], "/answers/weight/value", "below_minimum"),
            (["goals": ["sleep", "sport"]], "/answers/goals", "incomplete_ranking"),
            (
                ["goals": [["sleep", "sport"], ["sleep", "friends"]]], "/answers/goals", "incomplete_ranking"
            ),
            (
                ["goals": [["sleep", "sport"], ["sport", "sleep"]]], "/answers/goals/1",
                "duplicate_comparison"
            ),
            (
                ["goals": [["shown": ["sleep", "sport"], "choice": "friends"]]], "/answers/goals/0/choice",
                "not_offered"
            ),
            (["words": ["a", "b", "c", "d", "e"]], "/answers/words", "too_many_answers"),
            (
                ["words": ["values": ["a", "b"], "comparisons": []]], "/answers/words/comparisons",
                "incomplete_ranking"
            ),
            (["spot": ["lat": 91, "lon": 8]], "/answers/spot/lat", "above_maximum"),
            (
                ["stops": [["lat": 1, "lon": 2], ["lat": 0, "lon": -181]]], "/answers/stops/1/lon",
                "below_minimum"
            ),
            (["meds": [["dose": 1]]], "/answers/meds/0/drug", "required"),
            (["meds": [["drug": "a", "cups": 1]]], "/answers/meds/0/cups", "wrong_group"),
            (["dose": 1], "/answers/dose", "wrong_group"),
            (["day": "2019-12-31"], "/answers/day", "below_minimum"),
            (["day": "2999-01-01"], "/answers/day", "constraint_not_future"),
            (["awake": "2026-01-01T21:00:00Z"], "/answers/awake", "constraint_bed_order"),
            (["helpers": ["nobody", ["other": "x"]]], "/answers/helpers/1", "exclusive_option"),
        ] as [(JSON, String, String)])
    func `an invalid answer is rejected with its pointer`(
        _ changes: JSON, _ pointer: String, _ code: String
    ) async throws {
        try await submit(changes) { answer in
            answer.expectProblem(422, "answer-sheet-invalid")
            #expect(answer.faults[pointer] == code, "\(answer.text)")
        }
    }

    @Test func `the message of a constraint is in the language of the sheet`() async throws {
        try await submit(["day": "2999-01-01"], ["language": "de"]) { answer in
            answer.expectProblem(422, "answer-sheet-invalid", ["/answers/day"])
            #expect(
                answer.json["errors"]?.array?.first?["detail"]?.string == "Dieser Tag kommt erst noch.")
        }
    }

    @Test func `a presented order of other options is rejected`() async throws {
        try await submit([:], ["presented": ["cups": ["1"], "grid": ["tense", "cups"]]]) { answer in
            answer.expectProblem(422, "answer-sheet-invalid")
            #expect(
                answer.faults == ["/presented/cups": "not_shuffled", "/presented/grid": "wrong_order"])
        }
    }

    // MARK: Valid answers

    /// All answers in the form in which they are returned: a quantity has its unit, and the scripted value is set.
    private static let returned = answers.with(["height": ["value": 172, "unit": "cm"], "source": "app"])

    /// Submits a sheet, and passes the receipt, the path of the sheet and the caller to the body.
    private func store(
        _ answers: JSON, _ members: JSON = [:],
        _ body: @Sendable (JSON, String, APICaller) async throws -> Void
    ) async throws {
        let sheet = SampleSheet.body("all_types", answers, members)
        try await ServerFixture.withParticipant(in: "all-types") { ada async throws in
            let path = ada.newRecord("answer-sheets")
            let answer = try await ada.put(path, sheet)
            try #require(answer.status == 201, "\(answer.text)")
            try await body(answer.json, path, ada)
        }
    }

    @Test func `every type of answer is returned as it was submitted`() async throws {
        let presented: JSON = ["emotions": ["fear", "anger"], "grid": ["tired", "tense"]]
        let members: JSON = ["presented": presented, "reasons": ["meds": [[:], ["when": "refused"]]]]

        try await store(Self.answers, members) { receipt, path, ada async throws in
            let stored = try await ada.get(path).json

            #expect(receipt["flags"]?.array?.filter { $0 == "constraint_many_doses" }.count == 1)
            #expect(stored["answers"]?.canonicalText == Self.returned.canonicalText)
            #expect(
                stored["reasons"]?.canonicalText
                    == (["meds": [[:], ["when": "refused", "relief": "skipped"]]] as JSON).canonicalText)
            #expect(stored["presented"]?.canonicalText == presented.canonicalText)
        }
    }

    @Test func `a correction of a repeated group replaces its answers, reasons and flags`() async throws {
        let members: JSON = ["reasons": ["meds": [[:], ["when": "refused"]]]]

        try await store(Self.answers, members) { _, path, ada async throws in
            let corrected = try await ada.send(
                .patch, path, ["answers": ["meds": [["drug": "a", "dose": 1]]]])

            #expect(corrected.status == 200)
            #expect(corrected.json["answers"]?["meds"] == [["drug": "a", "dose": 1]])
            #expect(corrected.json["flags"]?.array?.contains("constraint_many_doses") == false)
            #expect(
                corrected.json["reasons"]?["meds"]?.canonicalText
                    == ([["when": "skipped", "relief": "not_shown"]] as JSON).canonicalText)
        }
    }

    @Test func `limits apply in each unit of the answer`() async throws {
        let heavy: JSON = ["value": 600, "unit": "[lb_av]"]

        try await store(Self.answers.with(["weight": heavy])) { _, path, ada async throws in
            let stored = try await ada.get(path).json
            #expect(stored["answers"]?["weight"]?.canonicalText == heavy.canonicalText)
        }
    }

    @Test func `contradictory comparisons are stored and flagged until they are corrected`() async throws {
        let circle: JSON = [
            ["sleep", "sport"], ["sport", "friends"],
            ["shown": ["sleep", "friends"], "choice": "friends"],
        ]
        let even: JSON = [["sleep", "sport"], ["shown": ["friends", "sport"], "choice": nil]]

        try await store(Self.answers.with(["goals": circle])) { receipt, path, ada async throws in
            #expect(receipt["flags"]?.array?.contains("circle_goals") == true)
            let stored = try await ada.get(path).json
            #expect(stored["answers"]?["goals"]?.canonicalText == circle.canonicalText)

            let corrected = try await ada.send(.patch, path, ["answers": ["goals": even]])

            #expect(corrected.status == 200)
            #expect(corrected.json["flags"]?.array?.contains("circle_goals") == false)
            #expect(corrected.json["answers"]?["goals"]?.canonicalText == even.canonicalText)
        }
    }

    @Test func `answers to hidden items are cleared and listed`() async throws {
        let answers: JSON = [
            "consents": false, "meds": [["drug": "a"]], "emotions": ["joy"], "tense": 1,
        ]

        try await store(answers) { receipt, path, ada async throws in
            let reasons = try await ada.get(path).json["reasons"]

            let cleared = receipt["cleared"]?.array?.compactMap(\.string) ?? []
            #expect(Set(cleared) == ["meds", "emotions", "tense"])
            for item in ["meds", "emotions", "tense"] { #expect(reasons?[item] == "not_shown") }
            #expect(reasons?["cups"] == "skipped")
        }
    }
}
