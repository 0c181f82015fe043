import SaunterCore
import Testing

@testable import SaunterWeb

/// The overview of a study and its participants in words.
@Suite struct StudyOverviewViewTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum
    private static let time = LocalTimeText(language: "en", zone: "UTC")

    private static func words() throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: "en")
    }

    private static func course(_ group: JSON, _ points: [(String, Int)]) -> JSON {
        [
            "group": group,
            "points": .array(points.map { ["date": .string($0.0), "total": .int($0.1)] }),
        ]
    }

    private static func view(_ enrolment: [JSON], target: JSON = nil) throws -> StudyOverviewView {
        StudyOverviewView(
            [
                "as_of": .string(now.description), "group": "arm",
                "steps": ["enrolled": 7, "active": 6, "finished": 0, "stopped": 1],
                "today": ["due": 5, "answered": 3, "late": 1, "open": 2],
                "trouble": [
                    ["code": "never_started", "participants": 2, "oldest_at": .string(now.description)],
                    ["code": "unsent", "participants": 0, "oldest_at": nil],
                ],
                "target": target, "enrolment": .array(enrolment),
            ], study: "walks", now: now, try words())
    }

    @Test func `every number of participants leads to the list with the same state`() throws {
        let view = try Self.view([])

        #expect(view.steps.map { $0["text"] } == ["7", "6", "0", "1"])
        #expect(
            view.steps.map { $0["address"] } == [
                "/staff/walks/participants", "/staff/walks/participants?state=active",
                "/staff/walks/participants?state=finished", "/staff/walks/participants?state=stopped",
            ])
        let trouble = view.trouble(Self.time)
        #expect(trouble.map { $0["address"] as? String } == ["/staff/walks/participants?state=never_started"])
        #expect(trouble.map { $0["text"] as? String } == ["2"])
        #expect(view.today.map { $0["text"] } == ["5", "3", "1", "2"])
    }

    @Test func `without participants there is no figure`() throws {
        #expect(try Self.view([]).figure(maximum: 6, Self.time) == nil)
        #expect(try Self.view([]).table.rows.isEmpty)
    }

    @Test func `the figure states its finding, and its steps end on the day of the numbers`() throws {
        let view = try Self.view([
            Self.course("a", [("2026-11-01", 3), ("2026-11-11", 6)]), Self.course("b", [("2026-11-11", 1)]),
        ])

        let figure = try #require(view.figure(maximum: 6, Self.time))
        let finding = try #require(figure["finding"] as? String)
        let svg = try #require(figure["svg"] as? String)

        #expect(finding.hasPrefix("7 participants have joined since"))
        #expect(finding.hasSuffix("In detail: a 6, b 1."))
        #expect(svg.contains("<desc>\(finding)</desc>"))
        // The days 1, 11 and 21 of November are at 50, 257 and 464 pixels; 0, 3 and 6 participants at 200, 107 and 14.
        #expect(svg.contains("class=\"step step1\" points=\"50,200 50,107 257,107 257,14 464,14\""))
        #expect(svg.contains("class=\"step step2\" points=\"257,200 257,169 464,169\""))
        #expect(svg.contains(">a</text>") && svg.contains(">b</text>"))
        #expect(
            view.table.rows.count == 3
                && String(decoding: view.table.csv, as: UTF8.self).contains("2026-11-11,a,6"))
    }

    @Test func `a target is a dashed line with its name, and in the finding`() throws {
        let courses = [Self.course(nil, [("2026-11-01", 3), ("2026-11-11", 7)])]

        let figure = try #require(Self.view(courses, target: 14).figure(maximum: 6, Self.time))
        let svg = try #require(figure["svg"] as? String)

        #expect((figure["finding"] as? String)?.hasSuffix("Target: 7 of 14.") ?? false)
        // 14 participants are at 14 pixels, and 7 of them in the middle.
        #expect(svg.contains("class=\"goal\" points=\"50,14 464,14\""))
        #expect(svg.contains("class=\"step step1\" points=\"50,200 50,160.1 257,160.1 257,107 464,107\""))
        #expect(svg.contains(">Target of all participants: 14</text>"))
        let plain = try #require(Self.view(courses).figure(maximum: 6, Self.time)?["svg"] as? String)
        #expect(!plain.contains("goal"))
    }

    @Test func `on the first day the figure begins with the day before`() throws {
        let view = try Self.view([Self.course(nil, [("2026-11-21", 2)])])

        let figure = try #require(view.figure(maximum: 6, Self.time))
        let svg = try #require(figure["svg"] as? String)

        #expect(svg.contains("class=\"step step1\" points=\"464,200 464,14\""))
        #expect(svg.contains("20 Nov</text>") || svg.contains("Nov 20</text>"))
    }

    @Test func `the figure has the largest groups, and the table has all`() throws {
        let view = try Self.view(
            (1...8).map { Self.course(.string("group \($0)"), [("2026-11-20", $0)]) })

        let figure = try #require(view.figure(maximum: 6, Self.time))
        let svg = try #require(figure["svg"] as? String)

        #expect(
            (1...8).map { svg.contains(">group \($0)</text>") } == [false, false]
                + Array(repeating: true, count: 6))
        #expect((figure["finding"] as? String)?.contains("6 largest groups") ?? false)
        #expect(view.table.rows.count == 8)
    }

    private static func participant(
        status: String = "active", day: Int = 3, troubles: [String] = [], lowAdherence: Instant? = nil
    ) throws -> ListedParticipantView {
        ListedParticipantView(
            [
                "participant_id": "P7", "status": .string(status), "study_day": .int(day),
                "study_days": 28,
                "low_adherence_since": lowAdherence.map { JSON.string($0.description) } ?? JSON.null,
                "trouble": .array(troubles.map { ["code": .string($0), "since": .string(now.description)] }),
            ], try words())
    }

    @Test func `the state of a participant names one step, and the problems are beside it`() throws {
        #expect(try Self.participant().condition == "Active")
        #expect(try Self.participant().attention == "")
        #expect(try Self.participant(day: 28).condition == "Active")
        #expect(try Self.participant(day: 29).condition == "Last day is over")
        #expect(try Self.participant(status: "stopped", day: 40).condition == "Stopped")
        let silent = try Self.participant(troubles: ["never_started", "unsent"])
        #expect((silent.condition, silent.attention) == ("Never started", "Records not arrived"))
        let finished = try Self.participant(day: 40, troubles: ["never_started"], lowAdherence: Self.now)
        #expect(
            (finished.condition, finished.attention) == ("Last day is over", "Never started, Low adherence"))
    }
}
