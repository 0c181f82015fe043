import SaunterCore
import Testing

@testable import SaunterWeb

/// Programmes, their practices and entries as pages show them.
@Suite struct ProgrammeModelTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private func model(status: JSON = "active") throws -> ProgrammeModel {
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        return ProgrammeModel(
            Participant(
                id: "E", enrolment: ["status": status, "time_zone": "Europe/Berlin"], study: [:]),
            words: words, now: Self.now)
    }

    private func module(_ code: String, _ more: JSONObject = [:]) -> JSON {
        var module: JSONObject = [
            "questionnaire": .string(code), "topic": .string("Topic \(code)"), "minutes": 5, "exercises": 4,
            "done": false, "times": 0, "last_at": .null, "rating": .null, "locked": false,
        ]
        for member in more { module[member.name] = member.value }
        return .object(module)
    }

    @Test func `a programme shows its progress in words and numbers`() throws {
        let card = try model().card([
            "programme": "control", "title": "Control", "subtitle": .null, "picture": .null,
            "authors": ["Epictetus", "Marcus Aurelius"], "modules": 4, "done": 2, "locked": false,
        ])
        let finished = try model().card(["programme": "calm", "title": "Calm", "modules": 1, "done": 1])

        #expect(card["state"] as? String == "2 of 4 done")
        #expect(card["done"] as? Int == 2)
        #expect(card["count"] as? Int == 4)
        #expect(card["authors"] as? String == "By Epictetus, Marcus Aurelius")
        #expect(card["subtitle"] as? Bool == false)
        #expect(card["picture"] as? Bool == false)
        #expect(card["address"] as? String == "/my/E/programmes/control")
        #expect(finished["state"] as? String == "All 1 done")
    }

    @Test(arguments: [
        ("practice", "table", false, "Recommended to everyone", "/my/E/q/a"),
        ("practice", "rule", false, "Because of your answers", "/my/E/q/a"),
        ("practice", "model", true, "Because of your answers", "/my/E/plans"),
        ("programme", "table", true, "Recommended to everyone", "/my/E/programmes/a"),
    ])
    func `a recommendation states its reason and leads on`(
        kind: String, why: String, isLocked: Bool, reason: String, address: String
    ) throws {
        let card = try model().recommendation(
            [
                "kind": .string(kind), "code": "a", "title": "A", "why": .string(why), "rank": 2,
                "locked": .bool(isLocked),
            ], programmes: [])

        #expect(card["reason"] as? String == reason)
        #expect(card["address"] as? String == address)
        #expect(card["rank"] as? Int == 2)
    }

    @Test func `practices show what was done, and only an open one can be started`() throws {
        let page = try model().page([
            "programme": "control", "title": "Control", "introduction": "# First\n\n*Slowly*",
            "modules": [
                module(
                    "a",
                    [
                        "done": true, "times": 3, "last_at": "2026-11-20T23:30:00.000Z", "rating": 4,
                        "exercises": 1,
                    ]),
                module("b", ["locked": true]), module("c"),
            ], "done": 1,
        ])
        let practices = try #require(page["practices"] as? [[String: Any]])

        #expect(page["introduction_html"] as? String == "<h2>First</h2>\n<p><em>Slowly</em></p>\n")
        #expect(page["entries"] as? String == "/my/E/programmes/control/entries")
        #expect(page["plans"] as? String == "/my/E/plans")
        #expect((page["progress"] as? [String: Any])?["state"] as? String == "1 of 3 done")
        // The day is that of the participant's zone, where the next day had begun.
        #expect(practices[0]["state"] as? String == "Done on Saturday, November 21 · 3 times")
        #expect(practices[0]["rating"] as? String == "Your rating: 4")
        #expect(practices[0]["size"] as? String == "about 5 min · 1 exercise")
        #expect(practices.map { $0["action"] as? String } == ["Do it again", "Start", "Start"])
        #expect(practices.map { $0["is_next"] as? Bool } == [false, false, true])
        #expect(practices[1]["address"] as? Bool == false)
        #expect(practices[2]["address"] as? String == "/my/E/q/c")
    }

    @Test func `a participant who has left can start nothing`() throws {
        let page = try model(status: "withdrawn").page(["programme": "control", "modules": [module("a")]])

        let practices = try #require(page["practices"] as? [[String: Any]])
        #expect(practices[0]["address"] as? Bool == false)
        #expect(page["entries"] as? Bool == false)
    }

    @Test(
        arguments: [
            (nil, "b"), ("a", "b"), ("b", "d"), ("c", "d"), ("d", "b"), ("unknown", "b"),
        ] as [(String?, String)])
    func `the next practice is the first open one after the one just done`(
        done: String?, next: String
    ) {
        let modules = [
            module("a", ["done": true]), module("b"), module("c", ["locked": true]), module("d"),
        ]

        #expect(ProgrammeModel.next(after: done, in: modules)?["questionnaire"]?.string == next)
    }

    @Test func `nothing comes after the last open practice`() {
        let modules = [module("a", ["done": true]), module("b", ["locked": true]), module("c")]

        #expect(ProgrammeModel.next(after: "c", in: modules) == nil)
        #expect(ProgrammeModel.next(after: nil, in: []) == nil)
    }

    @Test func `entries are grouped by practice, with the words as they were read`() throws {
        func entry(_ sheet: String, _ code: String, _ answers: [JSON]) -> JSON {
            [
                "sheet_id": .string(sheet), "questionnaire": .string(code),
                "topic": .string("Topic \(code)"), "completed_at": "2026-11-21T17:00:00.000Z",
                "local_date": "2026-11-21", "answers": .array(answers),
            ]
        }
        let answer: JSON = [
            "link_id": "thought", "text": "What worried you?", "type": "text", "value": "rain",
            "display": "rain",
        ]

        let groups = try model().entries(
            [entry("S3", "b", []), entry("S2", "a", [answer]), entry("S1", "b", [answer])],
            edits: ["b": ["correct_always": true, "delete_within_s": 600]])

        #expect(groups.map { $0["title"] as? String } == ["Topic b", "Topic a"])
        let newest = try #require(groups[0]["entries"] as? [[String: Any]])
        #expect(newest.map { $0["address"] as? String } == ["/my/E/sheets/S3", "/my/E/sheets/S1"])
        #expect(newest.map { $0["has_answers"] as? Bool } == [false, true])
        // What was only read has nothing to change. Half an hour later it cannot be deleted any more.
        #expect(newest.map { $0["may_edit"] as? Bool } == [false, true])
        #expect(newest.map { $0["may_delete"] as? Bool } == [false, false])
        let answers = try #require(newest[1]["answers"] as? [[String: Any]])
        #expect(answers[0]["question"] as? String == "What worried you?")
        #expect(answers[0]["answer"] as? String == "rain")
        let locked = try #require(groups[1]["entries"] as? [[String: Any]])
        #expect(locked[0]["may_edit"] as? Bool == false)
    }

    @Test func `a practice opens the occasions that follow its sheet`() {
        func occasion(_ id: String, _ questionnaire: String, _ state: String, _ sheet: JSON) -> JSON {
            [
                "occasion_id": .string(id), "questionnaire": .string(questionnaire),
                "schedule": .string("after_\(questionnaire)"), "state": .string(state),
                "follows_sheet": sheet,
            ]
        }
        let occasions = [
            occasion("O1", "rating", "completed_on_time", "S1"), occasion("O2", "mood", "open", "S1"),
            occasion("O7", "former", "open", "S2"), occasion("O4", "mood", "overdue", "S2"),
            occasion("O3", "rating", "open", "S2"), occasion("O8", "rating", "open", "S2"),
            occasion("O5", "sleep", "upcoming", "S2"), occasion("O6", "diary", "open", .null),
        ]

        let open = PracticeEnd.open(
            after: "S2", in: occasions, order: ["after_sleep", "after_rating", "after_mood"])

        // In the order of the study. A schedule that only a former version has comes last.
        #expect(open.map { $0["occasion_id"]?.string } == ["O3", "O4", "O7"])
        #expect(PracticeEnd.origin(of: "O1", in: occasions) == "S1")
        #expect(PracticeEnd.origin(of: "O6", in: occasions) == nil)
    }

    @Test func `the first questions are those that are asked once, on the day of enrolment`() {
        func occasion(_ id: String, _ schedule: String, _ date: String) -> JSON {
            ["occasion_id": .string(id), "schedule": .string(schedule), "local_date": .string(date)]
        }
        let occasions = [
            occasion("O1", "once", "2026-11-21"), occasion("O2", "daily", "2026-11-21"),
            occasion("O3", "daily", "2026-11-22"), occasion("O4", "end", "2026-12-21"),
        ]

        let asked = WelcomePage.askedOnce(occasions, on: "2026-11-21")

        #expect(asked.map { $0["occasion_id"]?.string } == ["O1"])
    }
}
