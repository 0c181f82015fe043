import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct InvalidAnswerSheetTests {
    @Test(arguments: InvalidSheet.all)
    func `an invalid sheet is rejected with every fault`(_ sheet: InvalidSheet) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(ada.newRecord("answer-sheets"), sheet.body)

            answer.expectProblem(422, sheet.slug, sheet.pointers)
            #expect(try await ada.storedSheets() == [])
        }
    }

    @Test func `faults of the schema and of answers are reported together`() async throws {
        let sheet = SampleSheet.body(
            "who_5", SampleSheet.who5.with(["q1": 9, "q7": 1]),
            ["time_zone": "Mars/Olympus", "started_at": "yesterday", "more": 1])

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(ada.newRecord("answer-sheets"), sheet)

            answer.expectProblem(
                422, "body-invalid", ["/time_zone", "/started_at", "/more", "/answers/q1", "/answers/q7"])
        }
    }

    @Test func `an occasion of another participant is rejected like an unknown one`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let ben = try await ada.newParticipant()
            func submit(_ occasion: JSON) async throws -> JSON {
                let answer = try await ada.put(
                    ada.newRecord("answer-sheets"),
                    SampleSheet.body("daily_evening", SampleSheet.daily, ["occasion_id": occasion]))
                answer.expectProblem(422, "answer-sheet-invalid", ["/occasion_id"])
                return answer.json.without("instance")
            }

            let unknown = try await submit(.string(SampleBatch.newID()))
            let foreign = try await submit(try #require(try await ben.openOccasion(of: "daily_evening")))
            _ = try await submit(try #require(try await ada.openOccasion(of: "pss_10")))

            // The answer does not show that the occasion exists.
            #expect(foreign == unknown)
            #expect(try await ada.storedSheets() == [])
        }
    }

    @Test func `the problem of a sheet with many faults lists a limited number`() async throws {
        let unknown = (0..<30_000).map { JSONObject.Member(name: "unknown_\($0)", value: .int($0)) }
        let answers = (SampleSheet.daily.object?.members ?? []) + unknown
        let sheet = SampleSheet.body("daily_evening", .object(JSONObject(answers)))

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(ada.newRecord("answer-sheets"), sheet)

            answer.expectProblem(422, "answer-sheet-invalid")
            #expect((1...1000).contains(answer.json["errors"]?.array?.count ?? 0))
            #expect(answer.bytes.count < 200_000)
        }
    }
}

/// A sheet, and the problem document that it results in.
struct InvalidSheet: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: JSON
    let slug: String
    let pointers: Set<String>

    /// An evening sheet with other answers.
    private static func answers(_ title: String, _ changes: JSON, _ pointers: Set<String>) -> InvalidSheet {
        let body = SampleSheet.body("daily_evening", SampleSheet.daily.with(changes))
        return InvalidSheet(
            testDescription: title, body: body, slug: "answer-sheet-invalid", pointers: pointers)
    }

    /// A sheet with other members.
    private static func sheet(
        _ title: String, _ changes: JSON, _ pointers: Set<String>, of questionnaire: String = "daily_evening",
        slug: String = "answer-sheet-invalid"
    ) -> InvalidSheet {
        InvalidSheet(
            testDescription: title, body: SampleSheet.body(questionnaire, SampleSheet.daily, changes),
            slug: slug, pointers: pointers)
    }

    static let all = items + answers + explanations + sheets + members

    private static let items = [
        answers("an unknown item", ["moodiness": 5], ["/answers/moodiness"]),
        answers("a slash in a name", ["a/b~c": 5], ["/answers/a~1b~0c"]),
        sheet(
            "no answers", ["answers": [:]],
            ["/answers/mood", "/answers/energy", "/answers/stress", "/answers/presence", "/answers/pausing"]
        ),
        answers("null for a required item", ["mood": nil], ["/answers/mood"]),
        sheet(
            "no answer to an item that becomes required",
            ["answers": SampleSheet.daily.without("stress_source")], ["/answers/stress_source"]),
        sheet(
            "an answer to a text for reading", ["answers": SampleSheet.pss10.with(["intro": "read"])],
            ["/answers/intro"], of: "pss_10"),
    ]

    private static let answers = [
        answers("not an option", ["mood": 6], ["/answers/mood"]),
        answers("an option as a string", ["mood": "5"], ["/answers/mood"]),
        answers("an option in an array", ["mood": [5]], ["/answers/mood"]),
        answers("an object", ["mood": ["value": 5]], ["/answers/mood"]),
        answers("true for a number", ["sleep_minutes": true], ["/answers/sleep_minutes"]),
        answers("below the minimum", ["sleep_minutes": -1], ["/answers/sleep_minutes"]),
        answers("above the maximum", ["sleep_minutes": 1081], ["/answers/sleep_minutes"]),
        answers(
            "a text that is too long", ["note": .string(String(repeating: "x", count: 2001))],
            ["/answers/note"]),
        answers("a number for a text", ["note": 1], ["/answers/note"]),
        answers("a string where an array is needed", ["stress_source": "work"], ["/answers/stress_source"]),
        answers("a duplicate option", ["stress_source": ["work", "work"]], ["/answers/stress_source/1"]),
        answers(
            "an unknown option in an array", ["stress_source": ["work", "boss"]],
            ["/answers/stress_source/1"]),
        answers(
            "an option that excludes the others", ["stress_source": ["work", "unclear"]],
            ["/answers/stress_source/1"]),
        sheet(
            "several faults",
            [
                "answers": [
                    "mood": 9, "energy": 3, "stress": "low", "presence": 1, "pausing": 1, "colour": 1,
                    "sleep_minutes": 0.5,
                ]
            ], ["/answers/mood", "/answers/stress", "/answers/colour", "/answers/sleep_minutes"]),
    ]

    private static let explanations = [
        sheet("an unknown reason", ["reasons": ["note": "bored"]], ["/reasons/note"]),
        sheet("a reason for an answered item", ["reasons": ["mood": "refused"]], ["/reasons/mood"]),
        sheet("a timing of an unknown item", ["timings": ["moodiness": 5]], ["/timings/moodiness"]),
        sheet("a negative timing", ["timings": ["mood": -1]], ["/timings/mood"], slug: "body-invalid"),
    ]

    private static let sheets = [
        sheet("an unknown questionnaire", ["answers": [:]], ["/questionnaire"], of: "phq_9"),
        sheet("an unknown version", ["version": "9.9.9"], ["/version"]),
        sheet(
            "an end before the start",
            ["started_at": .instant(ServerFixture.now.adding(seconds: 86_400))], ["/completed_at"]),
        sheet(
            "an unknown occasion", ["occasion_id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f44"],
            ["/occasion_id"]),
    ]

    private static let members = [
        sheet(
            "an occasion that is not a UUID", ["occasion_id": "today"], ["/occasion_id"],
            slug: "body-invalid"),
        sheet(
            "a fixed offset as time zone", ["time_zone": "GMT+2"], ["/time_zone"], slug: "body-invalid"),
        sheet(
            "an unknown time zone", ["time_zone": "Europe/Atlantis"], ["/time_zone"], slug: "body-invalid"),
        sheet("answers in an array", ["answers": [5, 4]], ["/answers"], slug: "body-invalid"),
    ]
}
