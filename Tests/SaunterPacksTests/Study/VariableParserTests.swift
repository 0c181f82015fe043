import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct VariableParserTests {
    private static let folder = "studies/mindful-walking/"

    /// The variables of a file, and its faults with their lines.
    private func read(_ lines: String...) throws -> (variables: [TailoringVariable], faults: [String]) {
        let log = FaultLog(file: "variables.yaml")
        let text = "variables:\n" + lines.map { "  - {\($0)}\n" }.joined()
        let root = try #require(YAMLReader.read(text, log: log))
        var parser = VariableParser(log: log)
        let variables = parser.variables(root)
        return (variables, log.faults.map { "\($0.line): \($0.message)" })
    }

    private func variable(_ line: String) throws -> TailoringVariable {
        let (variables, faults) = try read(line)
        #expect(faults == [])
        return try #require(variables.first)
    }

    @Test func `kinds and sources are read`() throws {
        typealias Kind = TailoringVariable.Kind
        typealias Source = TailoringVariable.Source
        let cases: [(String, Kind, Source?)] = [
            ("latest: {entry: log, item: mood}", .latest, .entry(.init(["log"], .item("mood")))),
            ("first: {entry: log, items: [a, b]}", .first, .entry(.init(["log"], .items(["a", "b"])))),
            (
                "latest: {entry: log, scale: total, active: true}", .latest,
                .entry(.init(["log"], .scale("total"), isActive: true))
            ),
            ("at: {entry: log}", .at(isOldest: false), .entry(.init(["log"]))),
            ("at: {event: move, which: oldest}", .at(isOldest: true), .event("move")),
            ("at: {enrolment: enrolled_at}", .at(isOldest: false), .enrolment),
            ("count: {entry: [a, b]}", .count, .entry(.init(["a", "b"]))),
            ("days: {usage: app_opened}", .days, .usage(.appOpened, feature: nil, isSeconds: false)),
            (
                "count: {usage: feature_opened, feature: diary}", .count,
                .usage(.featureOpened, feature: "diary", isSeconds: false)
            ),
            (
                "sum: {usage: app_closed, field: seconds}", .statistic(.sum),
                .usage(.appClosed, feature: nil, isSeconds: true)
            ),
            ("mean: {walk: distance_m}", .statistic(.mean), .walk(.distance)),
            ("count: {walk: any}", .count, .walk(nil)),
            (
                "min: {observation: 8867-4}", .statistic(.min),
                .observation(system: "http://loinc.org", code: "8867-4")
            ),
            (
                "max: {observation: x, system: \"urn:y\"}", .statistic(.max),
                .observation(system: "urn:y", code: "x")
            ),
            ("sd: {entry: log, item: mood}", .statistic(.sd), .entry(.init(["log"], .item("mood")))),
            ("count: {message: come-back}", .count, .message(rule: "come-back", .sent)),
            ("count: {message: any, state: opened}", .count, .message(rule: nil, .opened)),
            ("count: {occasion: any, state: missed}", .count, .occasion(schedule: nil, .missed)),
            ("count: {occasion: evening}", .count, .occasion(schedule: "evening", .offered)),
            ("share: {entry: log}", .share, .entry(.init(["log"]))),
            ("slope: {entry: log, item: mood}", .slope, .entry(.init(["log"], .item("mood")))),
            ("streak: {entry: log}", .streak, .entry(.init(["log"]))),
            ("top: {entry: log, item: mood, most: 3}", .top(most: 3), .entry(.init(["log"], .item("mood")))),
            (
                "series: {entry: log, item: mood, each: week}", .series(each: .week),
                .entry(.init(["log"], .item("mood")))
            ),
            (
                "list: {entry: goal, item: text, active_in: this_month}", .list(activeIn: .thisMonth),
                .entry(.init(["goal"], .item("text")))
            ),
            ("list: {entry: goal, item: text}", .list(activeIn: nil), .entry(.init(["goal"], .item("text")))),
            ("change: mood, since: {last: 7d}", .change(of: "mood", since: .last(days: 7, ending: 0)), nil),
            ("change: mood", .change(of: "mood", since: nil), nil), ("keys: area", .keys(of: "area"), nil),
            ("expression: a + 1", .expression("a + 1"), nil),
        ]
        for (text, kind, source) in cases {
            let found = try variable("id: v, \(text)")

            #expect(found == TailoringVariable(id: "v", kind: kind, source: source), "\(text)")
            let written = found.definition.packText
            #expect(try variable("id: v, \(written)") == found, "\(written)")
        }
    }

    @Test func `the other keys are read`() throws {
        let found = try variable(
            "id: v, count: {entry: log}, window: {last: 7d, ending: 14d}, by: refers_to, where: \"mood > 3\", least: 2, shown: true, after: [log]"
        )

        #expect(
            found
                == TailoringVariable(
                    id: "v", kind: .count, source: .entry(.init(["log"])), window: .last(days: 7, ending: 14),
                    by: .refersTo, condition: "mood > 3", least: 2, shown: .participants, after: ["log"]))
        #expect(
            found.definition.packText
                == "count: {entry: log}, window: {last: 7d, ending: 14d}, by: refers_to, where: \"mood > 3\", least: 2"
        )
        #expect(try variable("id: v, count: {entry: log}, shown: staff").shown == .staff)
        #expect(try variable("id: v, count: {entry: log}, shown: false").shown == .hidden)
        #expect(try variable("id: v, count: {entry: log}, by: mood").by == .item("mood"))
        #expect(
            try variable("id: v, count: {entry: log}, window: {since: move}").window == .since(event: "move"))
        #expect(
            try variable("id: v, count: {entry: log}, window: {while: goal}").window
                == .during(questionnaire: "goal"))
        for (word, window) in TailoringVariable.Window.words {
            #expect(try variable("id: v, count: {entry: log}, window: \(word)").window == window)
        }
    }

    @Test(arguments: [
        (
            "id: v",
            "a variable needs one of latest, first, at, count, days, sum, mean, min, max, sd, share, top, series, slope, change, streak, keys, list, expression"
        ),
        ("id: v, count: {entry: a}, mean: {entry: a}", "a variable has one kind, not count and mean"),
        ("count: {entry: a}", "\"id\" is missing"),
        (
            "id: v, count: {entry: a}, windows: today",
            "\"windows\" is not a key of a variable; did you mean \"window\"?"
        ),
        ("id: v, count: {entry: a}, since: today", "\"since\" is not a key of a variable"),
        (
            "id: v, count: log",
            "expected a mapping with one of enrolment, entry, event, message, observation, occasion, usage, walk, found a text"
        ),
        (
            "id: v, count: {item: a}",
            "`count` needs one of enrolment, entry, event, message, observation, occasion, usage, walk"
        ),
        ("id: v, count: {entry: a, walk: any}", "`count` has one source, not entry and walk"),
        (
            "id: v, count: {content: tips}",
            "the source \"content\" is not available in this version of Saunter"
        ),
        (
            "id: v, count: {programme: any}",
            "the source \"programme\" is not available in this version of Saunter"
        ),
        ("id: v, count: {award: any}", "the source \"award\" is not available in this version of Saunter"),
        (
            "id: v, count: {entitlement: any}",
            "the source \"entitlement\" is not available in this version of Saunter"
        ),
        ("id: v, count: {group: any}", "the source \"group\" is not available in this version of Saunter"),
        ("id: v, count: {entry: a, each: day}", "\"each\" is not a key of `count` with entry"),
        ("id: v, count: {entry: a, most: 3}", "\"most\" is not a key of `count` with entry"),
        ("id: v, count: {walk: any, item: a}", "\"item\" is not a key of `count` with walk"),
        (
            "id: v, count: {walk: speed}",
            "expected one of elapsed_s, active_s, distance_m, mean_speed_kmh, mean_pace_s_per_km, mean_heart_rate_bpm, max_heart_rate_bpm, active_energy_kcal, above_target_s, above_target_count, coverage, found \"speed\""
        ),
        (
            "id: v, count: {usage: app_open}",
            "expected one of app_opened, app_closed, app_crashed, screen_seen, prompt_delivered, prompt_opened, prompt_dismissed, sheet_begun, sheet_left, permission_changed, app_updated, feature_opened, content_shown, content_played, content_completed, found \"app_open\"; did you mean \"app_opened\"?"
        ),
        (
            "id: v, latest: {entry: a, item: b, items: [c]}",
            "an entry has item, items or scale, not item and items"
        ),
        ("id: v, top: {entry: a, item: b}", "\"most\" is missing"),
        ("id: v, series: {entry: a, item: b}", "\"each\" is missing"),
        (
            "id: v, series: {entry: a, item: b, each: hour}",
            "expected one of day, week, month, found \"hour\""
        ),
        (
            "id: v, count: {entry: a}, window: yesterday",
            "expected last_month, this_month, this_week, today or {last: …}, {since: …}, {while: …}, found \"yesterday\""
        ),
        ("id: v, count: {entry: a}, window: {last: 7}", "expected a number of days such as 7d, found \"7\""),
        (
            "id: v, count: {entry: a}, window: {last: 36h}",
            "expected a number of days such as 7d, found \"36h\""
        ),
        ("id: v, count: {entry: a}, shown: maybe", "expected true, false or staff, found a text"),
        ("id: v, count: {entry: a}, least: many", "expected a whole number, found a text"),
    ])
    func `a broken variable is reported with its line`(line: String, message: String) throws {
        let (variables, faults) = try read("id: a, count: {entry: log}", line, "id: b, count: {entry: log}")

        #expect(faults == ["3: \(message)"])
        #expect(variables.count == 3)
        #expect(variables.map(\.id).first == "a" && variables.map(\.id).last == "b")
    }

    // MARK: In a study

    private func faults(_ variables: String, text: String = "") throws -> [String] {
        var files = try RealPacks.study().setting(Self.folder + "variables.yaml", variables)
        for language in text.isEmpty ? [] : ["de", "en"] {
            let path = Self.folder + "content/text.\(language).yaml"
            files = files.setting(path, (files.files[path] ?? "") + text)
        }
        do {
            _ = try StudyPack.read(files, study: "mindful-walking")
            return []
        } catch {
            return error.list.map { String($0.description.dropFirst(Self.folder.count)) }
        }
    }

    @Test func `variables and their texts are read`() throws {
        let variables = """
            variables:
              - {id: walks, count: {walk: any}}
              - {id: points, expression: walks * 10, shown: true}
              - {id: mood_trend, slope: {entry: daily_evening, item: mood}, window: {last: 14d}, shown: staff}
            """
        let text = """

            variables:
              points: {title: Points, text: "{{value}} points"}
              mood_trend: {title: Mood, above: Up, below: Down, equal: Same}

            """
        #expect(try faults(variables, text: text) == [])

        var files = try RealPacks.study().setting(Self.folder + "variables.yaml", variables)
        for language in ["de", "en"] {
            let path = Self.folder + "content/text.\(language).yaml"
            files = files.setting(path, (files.files[path] ?? "") + text)
        }
        let study = try StudyPack.read(files, study: "mindful-walking").study

        #expect(study.variables.map(\.id) == ["walks", "points", "mood_trend"])
        #expect(
            study.text["en"]?.variables == [
                "points": VariableText(title: "Points", text: "{{value}} points"),
                "mood_trend": VariableText(title: "Mood", above: "Up", below: "Down", equal: "Same"),
            ])
    }

    @Test func `a study without the file has no variables`() throws {
        #expect(try StudyPack.read(RealPacks.study(), study: "mindful-walking").study.variables == [])
    }

    @Test func `faults of the definitions have file and line`() throws {
        let found = try faults(
            """
            # The variables of the study.
            variables:
              - {id: mood, mean: {entry: daily_evening, item: note}}
              - id: angry
                share: {entry: daily_evening}
                where: "note = 5"
              - id: far
                count: {entry: daily_evening}
                window: {last: 4000d}
              - id: loop
                expression: loop + 1
              - {id: shown, count: {entry: daily_evening}, shown: true}
              - {id: other, latest: {entry: evening, item: mood}}
            """)

        #expect(
            found == [
                "content/text.de.yaml:1: There is no text for variable shown, which is shown. (variables)",
                "content/text.en.yaml:1: There is no text for variable shown, which is shown. (variables)",
                "variables.yaml:3: An answer to an item of type text is not a number.",
                "variables.yaml:6: At character 8: a number cannot be compared with a text.",
                "variables.yaml:9: A window has 1 to 3660 days.",
                "variables.yaml:11: Variables depend on each other: loop needs loop.",
                "variables.yaml:13: The study has no questionnaire evening.",
            ])
    }

    @Test func `an unreadable variable causes no further faults, and the others are still checked`() throws {
        let found = try faults(
            """
            variables:
              - {id: mood, mean: {entry: daily_evening, item: mood}, window: {last: soon}}
              - {id: change, change: mood}
              - {id: twice, expression: mood * 2}
              - {id: far, count: {entry: daily_evening}, window: {last: 4000d}}
            """)

        #expect(
            found == [
                "variables.yaml:2: expected a number of days such as 7d, found \"soon\"",
                "variables.yaml:5: A window has 1 to 3660 days.",
            ])
    }

    @Test func `an unreadable instrument causes no faults of the variables that use it`() throws {
        let files = try RealPacks.study()
            .setting(
                Self.folder + "variables.yaml",
                """
                variables:
                  - {id: mood, mean: {entry: daily_evening, item: mood}}
                  - {id: good, count: {entry: daily_evening}, where: "mood > 3"}
                  - {id: other, count: {entry: nothing}}
                """
            )
            .replacing(
                "linkId: mood,", with: "linkId: 3,", in: "instruments/daily_evening/1.0.0/questionnaire.yaml")

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        #expect(
            faults?.list.map(\.description).filter { $0.contains("variables.yaml") } == [
                "studies/mindful-walking/variables.yaml:4: The study has no questionnaire nothing."
            ])
    }
}
