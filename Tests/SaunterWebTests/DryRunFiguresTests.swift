import Foundation
import SaunterCore
import SaunterFigures
import Testing

@testable import SaunterWeb

/// The figures and sentences of a dry run, and the form with its values.
@Suite struct DryRunFiguresTests {
    private static let now = Instant("2026-11-21T17:30:00Z")!

    private static func words(_ language: String) throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: language)
    }

    private static let run: JSON = [
        "title": "Diary", "draft": true, "study": "diary", "version": "1.0.0", "participants": 20,
        "start": "2026-11-23", "until": "2026-11-25T23:00:00.000Z", "day_count": 3,
        "shortened": ["participants": 400, "day_count": 30],
        "report": [
            "total": [
                "people": 20, "prompts": 60, "completed": 45, "adherence_percent": 75.5,
                "on_time_percent": 70, "unscheduled": 2, "left": 1, "silent": 2, "reminders": 33,
            ], "kept_back": 4,
            "rules": [["rule": "cheer", "points": 60, "available": 50, "messages": 7]],
        ],
        "days": [
            ["date": "2026-11-23", "open": 20, "answered": 18],
            ["date": "2026-11-24", "open": 40, "answered": 27],
        ],
        "by_arm": [
            [
                "arm": "<a>", "participants": 10, "adherence_percent": 80, "minutes_asked_per_day": 3.5,
                "minutes_answered_per_day": 2.8, "nominal_minutes_per_day": 4,
            ],
            [
                "arm": "b", "participants": 10, "adherence_percent": 71, "minutes_asked_per_day": 2,
                "minutes_answered_per_day": 1.5, "nominal_minutes_per_day": 2,
            ],
        ],
        "messages": [
            "days": [["date": "2026-11-23", "count": 11], ["date": "2026-11-24", "count": 22]],
            "hours": [["hour": 7, "count": 3], ["hour": 18, "count": 30]],
        ],
        "timeline": [
            "participant": 2, "arm": "b", "joined_at": "2026-11-23T09:00:00.000Z", "left_at": nil,
            "stops_answering_at": nil,
            "days": [
                [
                    "date": "2026-11-23", "study_day": 0,
                    "occasions": [
                        [
                            "title": "Evening", "opens_at": "2026-11-23T17:00:00.000Z",
                            "due_at": "2026-11-23T19:00:00.000Z", "closes_at": "2026-11-23T21:00:00.000Z",
                            "time_zone": "Europe/Berlin", "state": "completed_on_time",
                            "answered_at": "2026-11-23T17:20:00.000Z",
                        ]
                    ], "sheets": [],
                    "messages": [
                        [
                            "at": "2026-11-23T17:30:00.000Z", "time_zone": "Europe/Berlin", "occasions": 0,
                            "rule": "cheer",
                        ]
                    ],
                ]
            ],
        ],
    ]

    @Test func `columns have a part inside the whole, and names below`() {
        let svg = ColumnPlot.text(
            [.init(label: "23 Nov", count: 4, part: 2), .init(label: "24 Nov", count: 2)], title: "Days",
            description: "The <most>"
        ) { "\($0.label): \($0.part ?? $0.count)" }

        #expect(svg.contains("<title>Days</title><desc>The &lt;most&gt;</desc>"))
        #expect(
            svg.contains(
                #"<rect class="whole" x="50.8" y="14" width="205.5" height="156"><title>23 Nov: 2</title></rect>"#
            ), "\(svg)")
        #expect(svg.contains(#"<rect class="bar" x="50.8" y="92" width="205.5" height="78">"#), "\(svg)")
        #expect(svg.contains(#"<rect class="bar" x="257.8" y="92" width="205.5" height="78">"#), "\(svg)")
        #expect(svg.components(separatedBy: "Nov</text>").count == 3)
        // Many columns have few names.
        let many = (0..<300).map { ColumnPlot.Column(label: "d\($0)", count: $0) }
        let dense = ColumnPlot.text(many, title: "t", description: "d") { $0.label }
        #expect(dense.components(separatedBy: "text-anchor=\"middle\"").count <= 8)
        #expect(ColumnPlot.text([], title: "t", description: "d") { $0.label }.hasSuffix("</svg>"))
    }

    @Test(arguments: ["en", "de"])
    func `every figure has its finding as description, and a table with all numbers`(language: String) throws
    {
        let form = DryRunForm({ _ in nil }, now: Self.now)
        let view = DryRunView(
            Self.run, form, path: "/staff/diary/draft/dry-run", version: nil, try Self.words(language))

        let figures = view.figures

        #expect(
            figures.compactMap { $0["id"] as? String } == [
                "figure_days", "figure_adherence", "figure_burden", "figure_messages", "figure_hours",
            ])
        for figure in figures {
            let (svg, finding) = (figure["svg"] as? String ?? "", figure["finding"] as? String ?? "")
            #expect(svg.contains("<desc>") && !svg.contains("<a>") && !finding.contains("{"), "\(finding)")
            let table = try #require(figure["table"] as? [String: Any])
            #expect((table["rows"] as? [Any])?.isEmpty == false)
            #expect(table["id"] as? String == figure["id"] as? String)
        }
        let sentences = view.sentences.joined(separator: " ")
        for number in ["20", "45", "60", "33", "cheer"] { #expect(sentences.contains(number)) }
        #expect(sentences.contains(language == "de" ? "75,5 %" : "75.5 %"))
        #expect(!sentences.contains("{"))
        let shortened = try #require(view.model["shortened"] as? String)
        for number in ["20", "400", "3", "30"] { #expect(shortened.contains(number)) }
    }

    @Test func `one participant, day, assessment, decision point and message are singular`() throws {
        var run = Self.run.object ?? [:]
        run["day_count"] = 1
        run["report"] = [
            "total": [
                "people": 1, "prompts": 1, "completed": 1, "adherence_percent": 100, "on_time_percent": 100,
                "unscheduled": 0, "left": 0, "silent": 0, "reminders": 1,
            ], "kept_back": 0,
            "rules": [["rule": "cheer", "points": 1, "available": 1, "messages": 1]],
        ]
        let form = DryRunForm({ _ in nil }, now: Self.now)
        func view(_ run: JSON, _ language: String) throws -> DryRunView {
            DryRunView(run, form, path: "/staff/diary/draft/dry-run", version: nil, try Self.words(language))
        }

        let one = try view(.object(run), "en").sentences
        let german = try view(.object(run), "de").sentences

        #expect(one[0] == "Version 1.0.0 from Monday, November 23, 2026: 1 participant, 1 day.")
        #expect(one[1].hasPrefix("Answered: 1 of 1 assessment. "))
        #expect(one.last == "Rule cheer: 1 decision point (1 available), 1 message.")
        #expect(german[0] == "Version 1.0.0 ab Montag, 23. November 2026: 1 Person, 1 Tag.")
        #expect(
            try view(Self.run, "en").sentences[0]
                == "Version 1.0.0 from Monday, November 23, 2026: 20 participants, 3 days."
        )
    }

    @Test func `the course of a participant has local times, and links to the one before and after`() throws {
        let form = DryRunForm({ $0 == "seed" ? "7" : nil }, now: Self.now)
        let view = DryRunView(
            Self.run, form, path: "/staff/diary/draft/dry-run", version: "1.0.0", try Self.words("en"))

        let timeline = view.timeline

        let days = try #require(timeline["days"] as? [[String: Any]])
        let occasions = try #require(days.first?["occasions"] as? [String])
        #expect(occasions.count == 1 && occasions[0].contains("18:00") && occasions[0].contains("18:20"))
        #expect((days.first?["messages"] as? [String])?.first == "18:30: rule cheer")
        let next = try #require(timeline["next"] as? String)
        #expect(next.contains("participant=3") && next.contains("seed=7") && next.contains("version=1.0.0"))
        #expect((timeline["previous"] as? String)?.contains("participant=1") == true)
    }

    @Test func `a run without occasions and messages has no figure of them`() throws {
        let empty: JSON = ["by_arm": [], "days": [["date": "2026-11-23", "open": 0, "answered": 0]]]

        let view = DryRunView(
            empty, DryRunForm({ _ in nil }, now: Self.now), path: "/", version: nil, try Self.words("en"))

        #expect(view.figures.isEmpty)
    }

    @Test func `values of the address become the body, and every wrong one is a fault of its field`() throws {
        let words = try Self.words("en")
        var faults = FormFaults(words)
        let given = ["adherence": "72,5", "days": " 14 ", "participants": ""]

        let body = DryRunForm({ given[$0] }, now: Self.now).body(&faults, words)

        #expect(
            body == [
                "participants": 50, "days": 14, "start": "2026-11-21", "adherence": 0.725, "dropout": 0.1,
                "seed": 1, "participant": 1,
            ])
        let hostile = [
            "participants": "501", "days": "<b>", "start": "2026-02-30", "adherence": "nan",
            "dropout": "98", "seed": "-1", "participant": "1e3",
        ]
        #expect(DryRunForm({ hostile[$0] }, now: Self.now).body(&faults, words) == nil)
        let fields = (faults.model["fault"] as? [String: String] ?? [:]).keys.sorted()
        #expect(fields == DryRunForm.names.sorted())
    }
}
