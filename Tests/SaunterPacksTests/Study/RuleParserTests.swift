import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct RuleParserTests {
    private static let folder = "studies/walking/"

    /// The rules of a file, and its faults with their lines. Each argument is one rule in braces.
    private func read(_ lines: String...) throws -> (rules: [DecisionRule], faults: [String]) {
        let log = FaultLog(file: "rules.yaml")
        let text = "rules:\n" + lines.map { "  - {\($0)}\n" }.joined()
        let root = try #require(YAMLReader.read(text, log: log))
        var parser = RuleParser(log: log)
        let rules = parser.rules(root)
        return (rules, log.faults.map { "\($0.line): \($0.message)" })
    }

    private func point(_ at: String) throws -> DecisionPoint {
        let (rules, faults) = try read("code: r, at: {\(at)}, do: {message: {}}")
        #expect(faults == [])
        return try #require(rules.first).point
    }

    private func time(_ text: String) throws -> LocalTime { try #require(LocalTime(text)) }

    @Test func `each decision point is read`() throws {
        let day = 86_400
        let cases: [(String, DecisionPoint)] = [
            (
                "after: enrolment, first_after: 7d, repeat_every: 1mo, at_most: 3",
                .after(
                    .init(
                        start: .enrolment, firstAfter: .seconds(7 * day), repeatEvery: .months(1), atMost: 3))
            ),
            (
                "after: inactive, first_after: 36h",
                .after(.init(start: .inactive, firstAfter: .seconds(129_600)))
            ),
            (
                "after: {event: move}, first_after: 45m",
                .after(.init(start: .event("move"), firstAfter: .seconds(2700)))
            ),
            (
                "after: {first_completion: q}, first_after: 12mo",
                .after(.init(start: .firstCompletion("q"), firstAfter: .months(12)))
            ),
            (
                "after: {last_completion: q}, first_after: 1d",
                .after(.init(start: .lastCompletion("q"), firstAfter: .seconds(day)))
            ),
            (
                "after: {variable: v}, first_after: 1d",
                .after(.init(start: .variable("v"), firstAfter: .seconds(day)))
            ),
            (
                "calendar: {times: [\"09:00\", {setting: t}]}",
                .calendar(.init(times: [.literal(try time("09:00")), .setting("t")]))
            ),
            (
                "calendar: {times: [\"09:00\"], weekdays: [1, {setting: d}]}",
                .calendar(
                    .init(
                        times: [.literal(try time("09:00"))],
                        days: .weekdays([.literal(1), .setting("d")])))
            ),
            (
                "calendar: {times: [\"09:00\"], days_of_month: [31]}",
                .calendar(.init(times: [.literal(try time("09:00"))], days: .ofMonth([.literal(31)])))
            ),
            (
                "per_day: {count: {setting: n}, from: \"09:00\", to: \"21:00\", minimum_gap: 45m, spread: even}",
                .perDay(
                    .init(
                        count: .setting("n"), from: try time("09:00"), to: try time("21:00"),
                        minimumGap: 2700))
            ),
            (
                "per_day: {count: 3, from: \"09:00\", to: \"21:00\", spread: random}",
                .perDay(
                    .init(
                        count: .literal(3), from: try time("09:00"), to: try time("21:00"), spread: .random))
            ),
            (
                "adaptive: {by: v, seek: low, from: \"08:00\", to: \"21:00\", ahead: 15m, needs: {entries: 20, days: 10}, otherwise: \"12:00\"}",
                .adaptive(
                    .init(
                        by: "v", seek: .low, from: try time("08:00"), to: try time("21:00"), ahead: 900,
                        leastEntries: 20, leastDays: 10, otherwise: try time("12:00")))
            ),
            (
                "cycle: {over: [a, b], every: 7d, time: \"17:00\", since: {study_date: 2026-11-23}}",
                .cycle(
                    .init(
                        over: ["a", "b"], days: 7, time: try time("17:00"),
                        since: LocalDate("2026-11-23")))
            ),
            ("entry: q", .entry(questionnaire: "q")),
            (
                "reached: \"v.it = 100\", over: v, first_after: 42d",
                .reached(.init(condition: "v.it = 100", over: "v", firstAfter: .seconds(42 * day)))
            ),
            ("published: tips", .published(collection: "tips")),
            ("app_open: {once_per: day}", .appOpen(.day)),
        ]
        for (text, expected) in cases {
            #expect(try point(text) == expected, "\(text)")
            // The text of a definition is read as the same point.
            #expect(try point(expected.definition.packText) == expected, "\(expected.definition.packText)")
        }
        #expect(Set(cases.map { $0.1.name }) == Set(DecisionPoint.names))
    }

    @Test func `the other keys and actions are read`() throws {
        let (rules, faults) = try read(
            "code: r, at: {entry: q}, to: participant, when: \"a = 1\", allowed: {setting: s}, cooldown: 1d, tags: [t], limit: {messages: 1, per: 7d, among: t}, valid_for: 2h, channels: [in_app], log: all, randomise: {probability: 0.6}, do: {message: {target: x, content: {collection: c, select: draw, where: \"d = it\"}, line_for: l}}",
            "code: a, at: {entry: q}, do: {award: {code: w, repeatable: true, revocable: true}}",
            "code: e, at: {entry: q}, do: {event: move}",
            "code: s, at: {entry: q}, do: {alert: {about: silence}}",
            "code: p, at: {entry: q}, do: {report: month}")

        #expect(faults == [])
        #expect(
            rules.first
                == DecisionRule(
                    code: "r", point: .entry(questionnaire: "q"), condition: "a = 1", allowed: "s",
                    cooldown: 86_400, tags: ["t"], limit: .init(messages: 1, per: 7 * 86_400, among: "t"),
                    validFor: 7200, channels: [.inApp], logsAll: true, probability: 0.6,
                    action: .message(
                        .init(
                            target: "x",
                            content: .init(collection: "c", selection: .draw, condition: "d = it"),
                            lineFor: "l"))))
        #expect(
            rules.dropFirst().map(\.action) == [
                .award(.init(code: "w", isRepeatable: true, isRevocable: true)), .event("move"),
                .alert(about: "silence"), .report("month"),
            ])
    }

    @Test(arguments: [
        ("at: {entry: q}, do: {message: {}}", "\"code\" is missing"),
        ("code: r, do: {message: {}}", "\"at\" is missing"),
        ("code: r, at: {entry: q}", "\"do\" is missing"),
        ("code: r, at: {entry: q}, do: {}, whn: a", "\"whn\" is not a key of a rule; did you mean \"when\"?"),
        (
            "code: r, at: daily, do: {message: {}}",
            "expected a mapping with one of after, calendar, per_day, adaptive, cycle, entry, reached, published, app_open, found a text"
        ),
        (
            "code: r, at: {daily: 1}, do: {message: {}}",
            "`at` needs one of after, calendar, per_day, adaptive, cycle, entry, reached, published, app_open"
        ),
        (
            "code: r, at: {entry: q, published: c}, do: {message: {}}",
            "`at` has one decision point, not entry and published"
        ),
        (
            "code: r, at: {entry: q, first_after: 1d}, do: {message: {}}",
            "\"first_after\" is not a key of `at` with entry"
        ),
        (
            "code: r, at: {after: enrolment, first_after: soon}, do: {message: {}}",
            "expected a duration such as 2d, 5h or 30m, or months such as 1mo, found \"soon\""
        ),
        ("code: r, at: {after: enrolment}, do: {message: {}}", "\"first_after\" is missing"),
        (
            "code: r, at: {after: {walk: any}, first_after: 1d}, do: {message: {}}",
            "expected enrolment, inactive or {event: …}, {first_completion: …}, {last_completion: …}, {variable: …}, found a mapping"
        ),
        (
            "code: r, at: {calendar: {times: [\"09:00\"], weekdays: [1], days_of_month: [1]}}, do: {message: {}}",
            "a calendar has weekdays or days_of_month, not both"
        ),
        (
            "code: r, at: {calendar: {times: [\"25:00\"]}}, do: {message: {}}",
            "expected a time such as \"17:00\", found \"25:00\""
        ),
        (
            "code: r, at: {cycle: {over: [a], every: 36h, time: \"17:00\"}}, do: {message: {}}",
            "expected a number of days such as 7d, found \"36h\""
        ),
        (
            "code: r, at: {app_open: {once_per: hour}}, do: {message: {}}",
            "expected one of visit, day, found \"hour\""
        ),
        (
            "code: r, at: {entry: q}, allowed: s, do: {message: {}}",
            "expected {setting: …}, found \"s\""
        ),
        (
            "code: r, at: {entry: q}, to: staff, do: {message: {}}",
            "expected one of participant, group_admins, found \"staff\""
        ),
        (
            "code: r, at: {entry: q}, channels: [sms], do: {message: {}}",
            "channels must be at least one of mail, push, webhook, in_app, without duplicates"
        ),
        (
            "code: r, at: {entry: q}, do: {mail: {}}",
            "expected {message: …}, {award: …}, {event: …}, {alert: …}, {report: …}, found a mapping"
        ),
        ("code: r, at: {entry: q}, do: {message: {text: x}}", "\"text\" is not a key of message"),
        (
            "code: r, at: {entry: q}, do: {message: {content: {collection: c, select: any}}}",
            "expected one of daily, draw, published, found \"any\""
        ),
        (
            "code: r, at: {entry: q}, randomise: 0.6, do: {message: {}}",
            "randomise must be a mapping, not a number"
        ),
        ("code: r, at: {entry: q}, log: some, do: {message: {}}", "expected one of all, found \"some\""),
        ("code: r, at: {entry: q}, limit: {messages: 1, per: 7d}, do: {message: {}}", "\"among\" is missing"),
    ])
    func `a broken rule is reported with its line`(line: String, message: String) throws {
        let good = "code: a, at: {entry: q}, do: {event: move}"
        let (rules, faults) = try read(good, line, good)

        #expect(faults.first == "3: \(message)")
        #expect(rules.count == 3 && rules.first?.code == "a" && rules.last?.action == .event("move"))
    }

    // MARK: In a study

    private func study(_ code: String) throws -> Study {
        try StudyPack.read(RulePacks.files(code), study: code).study
    }

    @Test(arguments: [
        ("companion", 16), ("appiness", 3), ("emotions-tracker", 2), ("alter-ego", 1), ("walking", 7),
    ])
    func `the rules of the five systems are read without faults`(code: String, count: Int) throws {
        let study = try study(code)

        #expect(study.rules.count == count)
        #expect(RulePlan(study).needs.questionnaires.isSubset(of: study.questionnaires.map(\.code)))
    }

    @Test func `links and channels are read`() throws {
        let study = try study("companion")

        #expect(
            study.links == ["website": "https://www.example.org", "app": "https://app.example.org"])
        #expect(study.reminder?.channels == [.inApp, .mail] && study.reminder?.delivery == .all)
        #expect(study.reminder?.leastChannels == 1)
        #expect(
            study.text["en"]?.rules["month_of_commitment"]
                == RuleText(
                    subject: "Your month", body: "This month:",
                    line: "{{commitments.it}}: done {{done.it}} times."))
        #expect(
            study.text["en"]?.awards["habit_champion"]
                == TitledText(title: "Habit champion", text: "28 days in a row"))
    }

    @Test func `a study without the file has no rules`() throws {
        #expect(try StudyPack.read(RealPacks.study(), study: "mindful-walking").study.rules == [])
    }

    private func faults(_ rules: String, _ study: (String, String)? = nil) throws -> [String] {
        var files = try RulePacks.files("walking").setting(Self.folder + "rules.yaml", rules)
        let text = Self.folder + "content/text.en.yaml"
        let own = try #require(files.files[text]?.firstRange(of: "rules:"))
        let variables = "variables:\n  points: {title: Points, text: \"{{value}} points\"}\n"
        files = files.setting(
            text,
            String(files.files[text]?[..<own.lowerBound] ?? "")
                + "rules:\n  a: {subject: A, body: \"{{points}} {{it}}\"}\n" + variables)
        if let (passage, other) = study {
            files = try files.replacing(passage, with: other, in: Self.folder + "study.yaml")
        }
        do {
            _ = try StudyPack.read(files, study: "walking")
            return []
        } catch {
            return error.list.map { String($0.description.dropFirst(Self.folder.count)) }
        }
    }

    @Test func `faults of the rules have file and line`() throws {
        let found = try faults(
            """
            # The rules.
            rules:
              - code: a
                at: {calendar: {times: ["17:00"]}}
                when: "walks >"
                do: {message: {}}
              - code: b
                at:
                  calendar:
                    times:
                      - "17:00"
                      - "22:00"
                do: {message: {target: "{{site}}"}}
              - code: c
                at: {entry: nothing}
                do: {award: {code: w}}
            """)

        #expect(
            found.filter { $0.hasPrefix("rules.yaml") }.map { String($0.dropFirst(11).prefix(60)) } == [
                "5: At character 8: a value is missing at the end.",
                "12: 22:00 is in the quiet hours, so the message would always",
                "13: The text has an unknown or unclosed placeholder. Known a",
                "15: The study has no questionnaire nothing.",
            ])
        let texts = found.filter { $0.hasPrefix("content/") }
        #expect(texts.contains { $0.contains("There is no text for rule b.") })
        #expect(texts.contains { $0.contains("There is no text for award w.") })
        #expect(texts.contains { $0.contains("unknown or unclosed placeholder") })
    }

    @Test func `an unreadable rule causes no further faults`() throws {
        let found = try faults(
            """
            rules:
              - {code: a, at: {calendar: {times: [soon]}}, do: {message: {}}}
              - {code: b, at: {entry: nothing}, do: {event: first-week}}
            """)

        #expect(
            found == [
                "rules.yaml:2: expected a time such as \"17:00\", found \"soon\"",
                "rules.yaml:3: The study has no questionnaire nothing.",
            ])
    }
}

/// The packs with decision rules, which the acceptance tests also use.
enum RulePacks {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Acceptance/packs/decision-rules")

    static func files(_ code: String) throws -> PackFiles {
        try PackFiles.load(directory: root.appending(path: "studies/\(code)").path)
    }
}
