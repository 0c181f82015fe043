import SaunterCore
import Testing

@testable import SaunterWeb

/// The sections of the page Today.
@Suite struct TodayModelTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private func model(
        _ items: [JSON], enrolment: JSON = ["status": "active"], sheets: [JSON] = [], day: Int = 11,
        days: Int = 27
    ) throws -> [String: Any] {
        let overview: JSON = [
            "items": .array(items), "time_zone": "Europe/Berlin", "local_date": "2026-11-21",
            "study_day": .int(day), "adherence": ["completed": 9, "settled": 11],
        ]
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        return TodayModel(
            overview, sheets: ["items": .array(sheets)],
            Participant(id: "E", enrolment: enrolment, study: ["days": .int(days)]), words: words,
            now: Self.now
        ).values
    }

    private func titles(_ model: [String: Any], _ section: String) -> [String] {
        (model[section] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
    }

    private func states(_ model: [String: Any], _ section: String) -> [String] {
        (model[section] as? [[String: Any]] ?? []).compactMap { $0["state"] as? String }
    }

    private func item(_ title: String, _ more: JSONObject) -> JSON {
        var item: JSONObject = [
            "questionnaire": "q", "title": .string(title), "minutes": 3, "disabled": true, "due_today": false,
            "any_time": false,
        ]
        for member in more { item[member.name] = member.value }
        return .object(item)
    }

    @Test func `every questionnaire is in one section, with the reason in words`() throws {
        let opened: JSON = "2026-11-21T16:00:00.000Z"
        let later: JSON = "2026-11-21T20:00:00.000Z"
        let found = try model([
            item(
                "Due",
                [
                    "disabled": false, "due_today": true, "occasion_id": "O", "opens_at": opened,
                    "closes_at": later,
                ]),
            item("Later", ["due_today": true, "disabled_reason": "not_yet_open", "opens_at": later]),
            item("Log", ["disabled": false, "any_time": true]),
            item("Full", ["any_time": true, "disabled_reason": "completed_in_period", "opens_at": opened]),
            item("Walked", ["disabled_reason": "prerequisite"]),
            item("Over", ["disabled_reason": "closed", "closes_at": opened]),
            item(
                "Answered",
                ["disabled_reason": "completed_in_period", "next_opens_at": "2026-11-22T16:00:00.000Z"]),
        ])

        #expect(titles(found, "due") == ["Due"])
        #expect(states(found, "due") == ["open until 21:00"])
        #expect(titles(found, "later") == ["Later"])
        #expect(titles(found, "any_time") == ["Log", "Full"])
        #expect(
            states(found, "any_time") == [
                "You have reached the number for today. It is possible again from tomorrow."
            ])
        #expect(titles(found, "unavailable") == ["Walked", "Over", "Answered"])
        #expect(states(found, "unavailable")[1].contains("17:00"))
    }

    @Test func `what was sent today leads to the sheet, and settings are not listed`() throws {
        let found = try model(
            [item("Evening", ["disabled_reason": "completed_in_period"])],
            sheets: [
                ["questionnaire": "q", "sheet_id": "S", "completed_at": "2026-11-21T17:12:00.000Z"],
                ["questionnaire": "reminders", "sheet_id": "T", "completed_at": "2026-11-21T17:15:00.000Z"],
            ])

        #expect(titles(found, "done") == ["Evening"])
        #expect(states(found, "done") == ["sent 18:12"])
        #expect((found["done"] as? [[String: Any]])?.first?["address"] as? String == "/my/E/sheets/S")
    }

    @Test func `a participant who left reads the date and what remains possible`() throws {
        let found = try model(
            [item("Evening", ["disabled_reason": "not_enrolled"])],
            enrolment: ["status": "stopped", "ended_at": "2026-11-20T08:00:00.000Z"])

        let over = try #require(found["over"] as? [String: Any])
        #expect((over["text"] as? String)?.contains("November 20") == true)
        #expect(over["export"] as? String == "/v1/enrolments/E/export")
        #expect(titles(found, "unavailable").isEmpty)
        #expect(found["nothing_due"] == nil)
    }

    @Test func `after the last day the page states when the study ended`() throws {
        let over = try #require(try model([], day: 29)["over"] as? [String: Any])

        #expect((over["text"] as? String)?.contains("November 19") == true)
    }

    @Test(arguments: [(27, true), (3650, false)])
    func `the progress is shown unless the study has no end`(days: Int, isShown: Bool) throws {
        let progress = try #require(try model([], days: days)["progress"] as? [String: Any])

        #expect(progress["shown"] as? Bool == isShown)
        #expect(progress["text"] as? String == "9 of 11 answered")
    }

    @Test(arguments: [(true, [[], ["Due practice"]]), (false, [["Practice"], ["Due practice"]])])
    func `practices are on the pages of programmes if the study has them`(
        hasProgrammes: Bool, sections: [[String]]
    ) throws {
        let discover: JSON = ["feature": "discover", "title": "Discover", "page": "programmes"]
        let found = try model(
            [
                item("Practice", ["practice": true, "any_time": true, "disabled": false]),
                item(
                    "Due practice",
                    [
                        "practice": true, "any_time": true, "disabled": false, "occasion_id": "O",
                        "opens_at": "2026-11-21T16:00:00.000Z", "closes_at": "2026-11-21T20:00:00.000Z",
                    ]),
            ], enrolment: ["status": "active", "features": hasProgrammes ? [discover] : []])

        #expect([titles(found, "any_time"), titles(found, "due")] == sections)
    }

    @Test func `a pause states since when`() throws {
        let found = try model(
            [], enrolment: ["status": "active", "paused_since": "2026-11-20T08:00:00.000Z"])

        #expect((found["paused"] as? String)?.contains("November 20") == true)
    }
}
