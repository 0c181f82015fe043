import SaunterCore

@testable import SaunterServer

/// Valid answers, and bodies of answer sheets that were completed at the time of the fixture.
enum SampleSheet {
    static let daily: JSON = [
        "mood": 5, "energy": 4, "stress": 4, "stress_source": ["work", "time"], "presence": 4, "pausing": 3,
        "sleep_minutes": 450,
    ]
    static let pss10 = numbered([3, 2, 4, 1, 0, 3, 2, 0, 1, 2])
    static let who5 = numbered([3, 4, 2, 5, 1])
    static let sus = numbered([4, 2, 5, 1, 3, 3, 4, 1, 5, 2])

    /// The body of a sheet without an occasion.
    static func body(_ questionnaire: String, _ answers: JSON, _ changes: JSON = [:]) -> JSON {
        let now = JSON.instant(ServerFixture.now)
        let body: JSON = [
            "questionnaire": .string(questionnaire), "version": "1.0.0", "started_at": now,
            "completed_at": now, "time_zone": .string(ServerFixture.zone.id), "client_now": now,
            "answers": answers,
        ]
        return body.with(changes)
    }

    /// The JSON text of a valid evening sheet with the note "plain".
    static let text = body("daily_evening", daily.with(["note": "plain"])).text

    /// Answers to `q1`, `q2` …
    private static func numbered(_ values: [Int]) -> JSON {
        .object(
            JSONObject(
                values.enumerated().map { .init(name: "q\($0.offset + 1)", value: .int($0.element)) }))
    }
}
