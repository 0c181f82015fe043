import SaunterCore
import SaunterEvaluation
import Testing

@testable import SaunterWeb

/// The statistics of a questionnaire in words, tables and figures.
@Suite struct StatisticsViewTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private static func language(_ code: String = "en") throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: code)
    }

    private static func figure(_ name: String, _ value: JSON, n: JSON = nil, whyNot: JSON = nil) -> JSON {
        [
            "figure": .string(name), "missing_data": nil, "n": n, "value": value, "lower": nil, "upper": nil,
            "why_not": whyNot,
        ]
    }

    private static let scale: JSON = [
        "scale": "total", "title": "Stress", "missing_by_reason": [["reason": "not_shown", "n": 2]],
        "figures": [
            figure("n", 3), figure("missing", 2), figure("mean", 2.123456789), figure("sd", 1.5),
            [
                "figure": "alpha", "missing_data": "listwise", "n": 3, "value": 0.812345678, "lower": 0.5,
                "upper": 0.9, "why_not": nil,
            ], figure("sem", nil, whyNot: "no_variation"),
        ],
        "items": [
            [
                "item": "q1", "title": "Upset?", "figures": [figure("n", 3), figure("mean", 1)],
                "answers": [
                    ["value": 0, "label": "0 – never", "n": 1], ["value": 1, "label": "often", "n": 3],
                ],
            ],
            ["item": "sum", "title": "A scale", "figures": [], "answers": []],
        ],
        "histogram": ["lower": -0.5, "width": 1, "one_value_per_bin": true, "counts": [1, 2]],
        "weeks": [
            ["week": 1, "people": 2, "mean": 2, "lower": 1, "upper": 3],
            [
                "week": 4, "people": 1, "mean": 5, "lower": nil, "upper": nil, "median": 5,
                "lower_quartile": 4.5, "upper_quartile": 5.5,
            ],
        ], "arms": [],
    ]

    private static func view(
        _ changes: JSON = [:], versions: JSON? = nil, language code: String = "en",
        average: ScaleFigures.Average = .mean
    ) throws -> StatisticsView {
        let version: JSON = [
            "questionnaire": "pss_4", "version": "1.0.0", "title": "PSS-4", "sheets": 5, "people": 2,
            "reliability_from": "first_sheet_of_each_person", "scales": [scale],
            "sheet_figures": [figure("seconds", 40, n: 5)],
        ]
        var object: JSONObject = [
            "questionnaire": "pss_4", "title": "PSS-4", "state": "done", "failure": nil,
            "computed_at": .string(now.description), "as_of": .string(now.description), "stale": false,
            "newer_changes": 0, "versions": versions ?? [version],
        ]
        for member in changes.object ?? [:] { object[member.name] = member.value }
        return StatisticsView(
            .object(object), study: "walks", path: "/staff/walks/scores/pss_4", now: now,
            average: average, try language(code))
    }

    private static func query(_ table: String, scale: String = "", version: String = "1.0.0") -> StaffQuery {
        StaffQuery(
            path: "/x", filters: StatisticsView.filters,
            values: ["table": table, "version": version, "scale": scale])
    }

    private static func csv(_ table: String, scale: String = "") throws -> [String] {
        let found = try #require(try view().table(query(table, scale: scale)))
        return String(decoding: found.csv.dropFirst(3), as: UTF8.self).split(whereSeparator: \.isNewline)
            .map(String.init)
    }

    @Test func `missing scores by reason and scores are the number of sheets`() throws {
        #expect(
            try Self.csv("missing") == [
                "Scale,Reason,Sheets", "Stress,has a score,3", "Stress,not shown,2",
            ])
    }

    @Test func `the file has all decimal places, and the reason in words`() throws {
        let lines = try Self.csv("reliability")

        #expect(lines[1].hasSuffix(",0.812345678,0.5,0.9,3,") && lines[1].contains("complete sheets"))
        #expect(lines[2] == "Stress,Standard error of measurement,,,,,all values are the same")
        #expect(try Self.csv("scores")[1].hasPrefix("Stress,All,2,3,2,2.123456789,1.5,"))
        #expect(try Self.csv("items")[1].hasPrefix("q1,Stress,Upset?,3,,1.0,"))
    }

    @Test func `each figure has its finding in words, and a table`() throws {
        let version = try #require((try Self.view().model["versions"] as? [[String: Any]])?.first)
        let scale = try #require((version["scales"] as? [[String: Any]])?.first)
        let histogram = try #require(scale["histogram"] as? [String: Any])
        let figure = try #require((histogram["figures"] as? [[String: String]])?.first)
        let course = try #require(
            ((scale["course"] as? [String: Any])?["figures"] as? [[String: String]])?.first)

        #expect(
            figure["finding"]
                == "Stress: 3 scores, mean 2.12, SD 1.5. The most frequent score is 1 (sheets: 2).")
        #expect(figure["svg"]?.contains("<desc>Stress: 3 scores") == true)
        #expect(course["finding"]?.hasSuffix("The mean is 2 in week 1 and 5 in week 4.") == true)
        let table = try #require(histogram["table"] as? [String: Any])
        #expect((table["rows"] as? [Any])?.count == 2)
        #expect(
            table["csv"] as? String
                == "/staff/walks/scores/pss_4?table=distribution&version=1.0.0&scale=total&format=csv")
        #expect(try Self.csv("distribution", scale: "total")[2] == "1,All,0.5,1.5,2")
        #expect(try Self.csv("course", scale: "total")[2] == "4,All,1,5.0,,,5.0,4.5,5.5")
    }

    private static func figure(
        of name: String, _ view: StatisticsView
    ) throws -> (finding: String, svg: String) {
        let version = try #require((view.model["versions"] as? [[String: Any]])?.first)
        let scale = try #require((version["scales"] as? [[String: Any]])?.first)
        let figures = (scale[name] as? [String: Any])?["figures"] as? [[String: String]]
        let figure = try #require(figures?.first)
        return (try #require(figure["finding"]), try #require(figure["svg"]))
    }

    @Test func `the course shows medians with quartiles if they are chosen`() throws {
        let view = try Self.view(average: .median)

        let (finding, svg) = try Self.figure(of: "course", view)
        let other = try #require(view.model["other_average"] as? [String: String])

        // Week 1 has no median.
        #expect(finding.hasSuffix("The median is 5 in week 4. A box contains the middle half."))
        #expect(
            svg.contains("class=\"box style0\"") && svg.contains("<title>week 4: median 5, n = 1</title>"))
        #expect(
            other == ["address": "/staff/walks/scores/pss_4", "title": "Show means with their intervals"])
        let means = try Self.view()
        #expect(try !Self.figure(of: "course", means).svg.contains("box"))
        let choice = try #require(means.model["other_average"] as? [String: String])
        #expect(choice["address"] == "/staff/walks/scores/pss_4?course=median")
    }

    @Test func `the answers to an item are one bar, and a table with all of them`() throws {
        let (finding, svg) = try Self.figure(of: "answers", try Self.view())

        #expect(
            finding
                == "Stress: the answers to each item. The most frequent one is “often” to “Upset?”: 75 % of 4 sheets."
        )
        #expect(svg.contains("<desc>\(finding)</desc>") && svg.contains("<title>1 often: 3 (75 %)</title>"))
        // A label that begins with its value is not numbered again.
        #expect(svg.contains("<title>0 – never: 1 (25 %)</title>"))
        #expect(svg.contains(">n = 4</text>") && !svg.contains("A scale"))
        #expect(
            try Self.csv("answers", scale: "total") == [
                "Item,Text,Value,Answer,Sheets,Share", "q1,Upset?,0.0,0 – never,1,0.25",
                "q1,Upset?,1.0,often,3,0.75",
            ])
    }

    @Test func `an unknown table, version or scale has no file`() throws {
        let view = try Self.view()

        #expect(view.table(Self.query("")) == nil)
        #expect(view.table(Self.query("missing", version: "2.0.0")) == nil)
        #expect(view.table(Self.query("missing", scale: "total")) == nil)
        #expect(view.table(Self.query("course")) == nil)
        #expect(view.table(Self.query("course", scale: "other")) == nil)
    }

    @Test(
        arguments: [
            (["computed_at": nil, "versions": []], "The statistics have not been computed yet."),
            (["stale": true, "newer_changes": 3], "3 newer changes."),
            (["stale": true, "newer_changes": 1], "1 newer change."),
            (["stale": true], "Another version of the study was published since."),
            ([:], "Nothing has changed since."),
        ] as [(JSON, String)])
    func `the page states how far the study has changed`(changes: JSON, text: String) throws {
        #expect(try Self.view(changes).model["state"] as? String == text)
    }

    @Test func `without sheets the page says so, and while a job runs there is no button`() throws {
        #expect(try Self.view(versions: []).model["too_few"] as? Bool == true)
        #expect(try Self.view(["computed_at": nil], versions: []).model["too_few"] as? Bool == false)
        #expect(try Self.view(["state": "running"]).model["runs"] as? Bool == true)
        #expect(try Self.view(["state": "failed", "failure": "Too large."]).model["runs"] as? Bool == false)
    }

    @Test func `numbers have the decimal mark of the language`() throws {
        let words = StatisticsWords(try Self.language("de"))

        #expect(words.number(0.81234) == "0,812" && words.number(12.345) == "12,35" && words.number(3) == "3")
        #expect(words.percent(0.125) == "12,5 %")
    }

    @Test(arguments: ["en", "de"])
    func `every figure and every reason has words`(code: String) throws {
        let words = try Self.language(code)
        let flow: Set<String> = [
            "allocated", "stopped", "excluded", "analysed", "erased", "enrolled", "n", "missing",
        ]

        for name in QuestionnaireStatistics.figures.map(\.name) where !flow.contains(name) {
            #expect(words["scores", "figure_\(name)"] != nil, "\(name)")
        }
        for reason in QuestionnaireStatistics.undefinedReasons {
            #expect(words["scores", "undefined_\(reason)"] != nil, "\(reason)")
        }
        for missing in QuestionnaireStatistics.missingData {
            #expect(words["scores", "data_\(missing)"] != nil, "\(missing)")
        }
    }
}
