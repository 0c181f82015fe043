import SaunterCore
import Testing

@testable import SaunterWeb

/// The messages of a study in words, and the form for a message to many participants.
@Suite struct StaffMessagesTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private static func words() throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: "en")
    }

    // MARK: Messages

    private static func day(_ date: String, sent: Int, failed: Int) -> JSON {
        [
            "date": .string(date), "planned": .int(sent + failed), "sent": .int(sent), "failed": .int(failed),
            "uncertain": 0, "suppressed": 0, "waiting": 0, "delivered": 0, "opened": 1,
        ]
    }

    private static func view(list: [JSON] = [], days: [JSON] = [], unreachable: [JSON] = []) throws
        -> StudyMessagesView
    {
        StudyMessagesView(
            study: "walks", list: ["items": .array(list), "next": nil],
            days: ["items": .array(days), "from": "2026-11-08", "to": "2026-11-21"],
            unreachable: ["items": .array(unreachable), "next": nil], now: now, try words())
    }

    private static func lines(_ table: StaffTable) -> [Substring] {
        String(decoding: table.csv.dropFirst(3), as: UTF8.self).split(separator: "\n")
    }

    @Test func `the figure has a bar for each day, and one more for failures`() throws {
        let view = try Self.view(days: [
            Self.day("2026-11-18", sent: 4, failed: 0), Self.day("2026-11-20", sent: 3, failed: 2),
        ])
        let figure = try #require(view.figure)
        let svg = try #require(figure["svg"] as? String)

        for (day, sent) in [(18, 4), (19, 0), (20, 3)] {
            #expect(svg.contains("Nov \(day): \(sent)<") || svg.contains("\(day) Nov: \(sent)<"), "\(day)")
        }
        #expect(svg.contains("<title>Failed: 2</title>"))
        #expect(svg.matches(of: /<title>Failed/).count == 1)
        #expect(
            figure["finding"] as? String == "7 of 9 messages were sent, 2 failed, and 2 were opened.")
        #expect(
            Self.lines(view.daysTable) == [
                "Date,Planned,Sent,Failed,Possibly sent,Not sent on purpose,Waiting,Delivered,Opened",
                "2026-11-18,4,4,0,0,0,0,0,1", "2026-11-20,5,3,2,0,0,0,0,1",
            ])
        #expect(try Self.view().figure == nil)
    }

    @Test func `a number leads to the rows of its state and dates`() throws {
        let counts = try Self.view(days: [Self.day("2026-11-20", sent: 3, failed: 2)]).counts("/p")

        #expect(counts.map { $0["text"] } == ["5", "3", "2", "0", "0", "0", "0", "1"])
        #expect(counts[0]["address"] == "/p?from=2026-11-08&to=2026-11-21")
        #expect(counts[2]["address"] == "/p?state=failed&from=2026-11-08&to=2026-11-21")
        #expect(counts[3]["address"] == "/p?state=unknown&from=2026-11-08&to=2026-11-21")
        #expect(counts.dropFirst(5).allSatisfy { $0["address"] == nil })
    }

    @Test func `a row states the channels that failed, or why nothing was sent`() throws {
        func entry(_ more: JSONObject) -> JSON {
            var entry: JSONObject = [
                "participant_id": "P7", "kind": "at_open", "rule": nil, "questionnaire": "who_5",
                "study_day": 3, "planned_at": "2026-11-21T17:00:00.000Z", "state": "failed", "attempts": [],
            ]
            for member in more { entry[member.name] = member.value }
            return .object(entry)
        }
        let view = try Self.view(list: [
            entry([
                "reason": "refused",
                "attempts": [
                    ["channel": "push", "outcome": "gone", "reply_code": 410],
                    ["channel": "mail", "outcome": "refused", "reply_code": nil],
                    ["channel": "webhook", "outcome": "sent", "reply_code": 200],
                ],
            ]), entry(["state": "suppressed", "reason": "daily_cap"]),
            entry(["kind": "rule", "rule": "broadcast", "questionnaire": nil, "state": "sent"]),
        ])
        let rows = Self.lines(view.table).dropFirst()

        #expect(
            rows.map(String.init) == [
                "P7,2026-11-21T17:00:00.000Z,3,at the opening,,who_5,failed,"
                    + "push: address does not exist any more (410) · mail: refused,,,",
                "P7,2026-11-21T17:00:00.000Z,3,at the opening,,who_5,not sent on purpose,daily limit reached,,,",
                "P7,2026-11-21T17:00:00.000Z,3,message,"
                    + "message of the study team,,sent,,,,",
            ])
    }

    // MARK: The form

    private static func form(_ fields: [String: String]) -> BroadcastForm {
        BroadcastForm(languages: ["de", "en"]) { fields[$0] ?? "" }
    }

    @Test func `the body has the filled languages, and an audience of one kind`() throws {
        let words = ["subject_en": " New times ", "body_en": "At nine.\r\nEvery day.\r\n"]
        let text: JSON = ["en": ["subject": "New times", "body": "At nine.\nEvery day."]]

        #expect(Self.form(words).body == ["audience": ["all": true], "words": text])
        let arm = Self.form(words.merging(["arm": "control"]) { $1 })
        #expect(arm.body["audience"] == ["arms": ["control"]])
        let chosen = Self.form(
            words.merging([
                "arm": "control", "state": "unsent", "participants": "P1 P2",
                "not_before": "2026-11-21T17:30:00.000Z",
            ]) { $1 })
        #expect(chosen.body["audience"] == ["participants": ["P1", "P2"]])
        #expect(chosen.body["not_before"] == "2026-11-21T17:30:00.000Z")
    }

    @Test func `hidden fields repeat the form`() throws {
        let fields = [
            "arm": "control", "state": "unsent", "delay": "day", "subject_de": "Neue Zeiten",
            "body_de": "Ab neun.\nTäglich.", "broadcast_id": "0190a5c0-0000-7000-8000-000000000000",
            "participants": "P1 P2", "not_before": "2026-11-21T17:30:00.000Z", "recipients": "2",
            "paused": "1",
        ]
        let form = Self.form(fields)
        let repeated = Self.form(
            Dictionary(uniqueKeysWithValues: form.hidden.map { ($0["name"] ?? "", $0["value"] ?? "") }))

        #expect(repeated.hidden == form.hidden && repeated.body == form.body)
        #expect((repeated.recipients, repeated.paused) == (2, 1))
    }

    @Test(
        arguments: [
            ([:], ["subject_de"]), (["subject_en": "a"], ["body_en"]), (["body_de": "a"], ["subject_de"]),
            (["subject_en": "a\nb", "body_en": "a"], ["subject_en"]),
            (["subject_en": String(repeating: "a", count: 201), "body_en": "a"], ["subject_en"]),
            (["subject_en": "a", "body_en": String(repeating: "a", count: 10_001)], ["body_en"]),
            (["subject_en": "a", "body_en": "a", "state": "stopped"], ["state"]),
            (["subject_en": "a", "body_en": "a", "delay": "soon"], ["delay"]),
            (["subject_en": "a", "body_en": "a"], []),
        ] as [([String: String], [String])])
    func `a fault is at its field`(fields: [String: String], expected: [String]) throws {
        var faults = FormFaults(try Self.words())
        Self.form(fields).check(&faults, try Self.words())
        let found = faults.model["errors"] as? [[String: Any]] ?? []

        #expect(found.compactMap { $0["field"] as? String } == expected)
    }

    @Test func `a delay gives an instant, and no delay gives none`() {
        let fields = ["subject_en": "a", "body_en": "a"]

        #expect(Self.form(fields).moment(at: Self.now) == "")
        let later = Self.form(fields.merging(["delay": "hour"]) { $1 })
        #expect(later.moment(at: Self.now) == "2026-11-21T18:30:00.000Z")
    }

    @Test func `a broadcast can be cancelled until it is sent`() throws {
        let items: [JSON] = ["queued", "sending", "sent", "cancelled"].map { state in
            [
                "broadcast_id": "0190a5c0-0000-7000-8000-000000000000", "subject": "New times",
                "state": .string(state), "audience": "participants", "participants": 3, "addressed": 2,
                "sent": 1, "failed": 0, "opened": 0,
            ]
        }
        let view = StudyBroadcastsView(
            ["items": .array(items), "arms": ["A"], "next": nil], study: "walks", now: Self.now,
            try Self.words())
        let query = StaffQuery(path: "/p", filters: [], values: [:])
        let shown = try #require(view.model(query)["items"] as? [[String: Any]])

        #expect(shown.map { $0["can_cancel"] as? Bool } == [true, true, false, false])
        #expect(
            Self.lines(view.table)[1] == "New times,waiting,3 chosen participants,2,1,0,0,,"
                && view.arms == ["A"])
    }
}
