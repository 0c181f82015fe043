import SaunterCore
import Testing

@testable import SaunterWeb

@Suite struct MessageListTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private func list(_ messages: [JSON], inbox: [JSON] = []) throws -> MessageList {
        MessageList(
            ["items": .array(messages)], prompts: ["items": []], inbox: ["items": .array(inbox)],
            occasions: [
                "items": [
                    ["occasion_id": "A", "questionnaire": "q", "state": "open"],
                    ["occasion_id": "B", "questionnaire": "q", "state": "missed"],
                ]
            ], overview: ["items": [["questionnaire": "q", "title": "Evening"]]], home: "/my/E",
            words: try #require(try Words(WebFiles(folder: nil)).languages.first),
            time: LocalTimeText(language: "en", zone: "Europe/Berlin"), now: Self.now)
    }

    private func message(_ id: String, _ hour: Int, subject: String, opened: Bool = false) -> JSON {
        [
            "message_id": .string(id), "sent_at": .string("2026-11-21T1\(hour):00:00.000Z"),
            "opened_at": opened ? "2026-11-21T17:00:00.000Z" : nil,
            "reminders": [["kind": "at_open", "ordinal": 1, "subject": .string(subject)]], "notices": [],
        ]
    }

    @Test func `the newest message is first and opens its occasion`() throws {
        let found = try list([message("m1", 1, subject: "B"), message("m2", 5, subject: "A")])

        #expect(found.unread == 2)
        #expect(
            found.entries.compactMap { $0["address"] as? String } == [
                "/my/E/messages/m2", "/my/E/messages/m1",
            ])
        let newest = try #require(found.newest)
        #expect(newest["target"] as? String == "/my/E/o/A")
        #expect(newest["text"] as? String == "Evening")
        #expect(newest["time"] as? String == "16:00")
    }

    @Test func `a message about a window that closed says so, and opens nothing`() throws {
        let entry = try #require(try list([message("m1", 1, subject: "B")]).entries.first)

        #expect(entry["over"] as? String == "It is over or already answered.")
        #expect(entry["may_open"] as? Bool == false)
    }

    @Test func `a message that was read is not shown on Today`() throws {
        let found = try list([message("m1", 1, subject: "A", opened: true)])

        #expect(found.newest == nil && found.unread == 0)
    }

    @Test func `a message of a rule has its own words and leads to its page`() throws {
        let rule: JSON = [
            "message_id": "m3", "rule": "hello", "subject": "Hello", "body": "How are you?",
            "path": "/q/mood",
            "created_at": "2026-11-21T16:00:00.000Z", "opened_at": nil, "dismissed_at": nil,
        ]

        let found = try list([message("m1", 1, subject: "B")], inbox: [rule])

        let newest = try #require(found.newest)
        #expect(newest["title"] as? String == "Hello")
        #expect(newest["target"] as? String == "/my/E/q/mood")
        #expect(newest["may_open"] as? Bool == true)
        #expect(found.unread == 2)
    }

    @Test func `a message that leads to Today has no button for it on Today`() throws {
        let rule: JSON = [
            "message_id": "m3", "rule": "daily", "subject": "Hello", "body": "A quote.", "path": "",
            "created_at": "2026-11-21T16:00:00.000Z", "opened_at": nil, "dismissed_at": nil,
        ]

        let found = try list([], inbox: [rule])

        #expect(found.newest?["may_open"] as? Bool == false)
        #expect(found.entries.first?["may_open"] as? Bool == true)
    }
}
