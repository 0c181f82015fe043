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
        ], "tense": 1, "tired": 2,
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
            (["words": ["a", "b", "c", "d"]], "/answers/words", "too_many_answers"),
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
}
