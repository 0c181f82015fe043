import SaunterCore
import SaunterFigures
import Testing

@testable import SaunterWeb

/// The list of versions and the difference of two versions in words.
@Suite struct VersionsViewTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private static func words(_ language: String = "en") throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: language)
    }

    private static func csv(_ table: StaffTable) -> [Substring] {
        String(decoding: table.csv.dropFirst(3), as: UTF8.self).split(separator: "\n")
    }

    // MARK: The list

    private static let list: JSON = [
        "items": [
            [
                "version": "1.1.0", "published_at": "2026-11-20T08:00:00.000Z",
                "digest": "0123456789abcdef", "live": true, "enrolments": 3,
            ],
            [
                "version": "1.0.0", "published_at": "2026-10-01T08:00:00.000Z", "digest": "fedcba987654",
                "live": false, "enrolments": 12,
            ],
        ],
        "editions": [["edition": 2, "published_at": "2026-11-10T08:00:00.000Z"]], "next": .null,
    ]

    @Test func `a version leads to its difference and its pack, unless they would show arms`() throws {
        let words = try Self.words()
        let open = VersionsView(Self.list, of: "walks", seesContent: true, words).table(asOf: Self.now)
        let blind = VersionsView(Self.list, of: "walks", seesContent: false, words).table(asOf: Self.now)

        guard case .link(let text, let address) = open.rows[0][0],
            case .link(let pack, let packAddress) = open.rows[0][5]
        else {
            Issue.record("no links")
            return
        }
        #expect([text, address] == ["1.1.0", "/staff/walks/versions/1.1.0"])
        #expect([pack, packAddress] == ["ZIP of 1.1.0", "/v1/studies/walks/versions/1.1.0/pack"])
        #expect(
            Self.csv(open) == [
                "Version,Published,State,Participants on it,Checksum of the pack",
                "1.1.0,2026-11-20T08:00:00.000Z,live,3,0123456789ab",
                "1.0.0,2026-10-01T08:00:00.000Z,former,12,fedcba987654",
            ])
        #expect(Self.csv(blind) == Self.csv(open))
        for cell in blind.rows.joined() {
            if case .link = cell { Issue.record("a link to content") }
        }
    }

    @Test func `the line of time has all publications, and needs two of them`() throws {
        let words = try Self.words()
        let figure = try #require(
            VersionsView(Self.list, of: "walks", seesContent: true, words).figure(now: Self.now))
        let svg = try #require(figure["svg"] as? String)

        #expect(figure["finding"] as? String == "Versions: 2. Editions of the library: 1.")
        #expect(svg.contains("<desc>Versions: 2. Editions of the library: 1.</desc>"))
        #expect(svg.split(separator: "<circle").count == 4)
        for text in [">1.1.0</text>", ">1.0.0</text>", ">2</text>", "<title>1.1.0, "] {
            #expect(svg.contains(text), "\(text)")
        }
        let one: JSON = ["items": [["version": "1.0.0", "published_at": "2026-10-01T08:00:00.000Z"]]]
        #expect(VersionsView(one, of: "walks", seesContent: true, words).figure(now: Self.now) == nil)
    }

    @Test func `a further page of versions has no editions and no line of time`() throws {
        let words = try Self.words()
        var list = Self.list.object ?? [:]
        list["next"] = "more"
        func model(_ cursor: String) -> [String: Any] {
            let view = VersionsView(.object(list), of: "walks", seesContent: true, words)
            let query = StaffQuery(path: "/v", filters: [], values: ["cursor": cursor])
            return view.model(view.table(asOf: Self.now), query, mayRestore: false, now: Self.now)
        }

        let figure = model("")["figure"] as? [String: Any]
        #expect(figure?["finding"] as? String == "The newest 2 versions. Editions of the library: 1.")
        #expect(model("")["is_first"] as? Bool == true)
        #expect(model("after")["figure"] == nil && model("after")["is_first"] == nil)
    }

    @Test func `labels of moments do not overlap, and the newest ones are kept`() {
        func svg(_ moments: [(String, Double)]) -> String {
            MomentPlot.text(
                [.init(name: "Versions", points: moments.map { (label: $0.0, hint: "<\($0.0)>", at: $0.1) })],
                title: "Time", description: "Two", first: "1 May", last: "2 May")
        }
        let close = svg([("old", 0), ("mid", 98), ("new", 100)])

        #expect(close.contains(">old</text>") && close.contains(">new</text>"))
        #expect(!close.contains(">mid</text>") && close.contains("<title>&lt;mid&gt;</title>"))
        #expect(svg([("a", 5)]).contains(">a</text>"))
        #expect(close.contains(">1 May</text>") && close.contains(">2 May</text>"))
    }

    // MARK: The difference

    private static let difference: JSON = [
        "from": "1.0.0", "to": "1.1.0",
        "groups": [
            [
                "kind": "schedule",
                "changes": [
                    ["place": "daily: open", "what": "changed", "before": "08:00", "after": "09:00"],
                    ["place": "weekly", "what": "removed", "before": "who_5", "after": .null],
                ],
            ],
            [
                "kind": "item",
                "changes": [["place": "mood", "what": "added", "before": .null, "after": "=How <b>?"]],
            ],
            ["kind": "rule", "changes": []],
        ],
        "files": [
            [
                "path": "studies/walks/schedule.yaml", "what": "changed",
                "lines": [
                    ["mark": " ", "text": "a"], ["mark": "-", "text": "b"], ["mark": "+", "text": "c"],
                ],
            ],
            ["path": "studies/walks/study.yaml", "what": "same", "lines": []],
        ],
    ]

    @Test func `changes are grouped in the order of the page, and the file has all`() throws {
        let view = DifferenceView(Self.difference, try Self.words())
        let groups = try #require(view.model["groups"] as? [[String: Any]])

        #expect(view.summary == "3 changes. Questions 1, Schedules 2.")
        #expect(groups.map { $0["title"] as? String } == ["Questions", "Schedules"])
        #expect(groups.map { ($0["rows"] as? [[String: Any]])?.count } == [1, 2])
        // A value that is missing has no element, so a phone shows no label without a value.
        let added = try #require((groups[0]["rows"] as? [[String: Any]])?.first)
        #expect(added["before"] as? [String] == [] && added["after"] as? [String] == ["=How <b>?"])
        #expect(
            Self.csv(view.table("walks-difference", asOf: Self.now)) == [
                "Part,Location,Change,Before,After", "Questions,mood,added,,'=How <b>?",
                "Schedules,daily: open,changed,08:00,09:00", "Schedules,weekly,removed,who_5,",
            ])
        let german = DifferenceView(Self.difference, try Self.words("de"))
        #expect(german.summary == "3 Änderungen. Fragen 1, Zeitpläne 2.")
    }

    @Test func `a file that is the same is left out, and lines are counted`() throws {
        let model = DifferenceView(Self.difference, try Self.words()).model
        let files = try #require(model["files"] as? [[String: Any]])

        #expect(files.count == 1 && files[0]["counts"] as? String == "+1 −1")
        let lines = try #require(files[0]["lines"] as? [[String: String]])
        #expect(lines.map { $0["mark"] } == [" ", "-", "+"] && lines.map { $0["text"] } == ["a", "b", "c"])
        #expect(lines.map { $0["class"] } == ["", "removed", "added"])
    }

    @Test func `no difference is said in words`() throws {
        let words = try Self.words()
        let none = DifferenceView(["groups": [], "files": []], words)
        let onlyLines = DifferenceView(
            ["groups": [], "files": [["path": "README.md", "what": "changed", "lines": []]]], words)

        #expect(none.isEmpty && none.summary == words.text("versions", "no_change"))
        #expect(!onlyLines.isEmpty && onlyLines.summary == words.text("versions", "only_lines"))
    }

    @Test func `long runs of unchanged lines are left out, with their number`() throws {
        let view = DifferenceView([:], try Self.words())
        typealias Line = DifferenceView.Line
        let same = (1...20).map { Line(mark: " ", text: "\($0)") }
        var lines = same
        lines.insert(Line(mark: "+", text: "new"), at: 10)
        let shown = view.shortened(lines)

        #expect(shown.map(\.mark) == ["…", " ", " ", " ", "+", " ", " ", " ", "…"])
        #expect(shown.first?.text == "7 unchanged lines" && shown.last?.text == "7 unchanged lines")
        #expect(shown[1].text == "8" && shown[7].text == "13")
        // A run of one line is shown.
        let near = [Line(mark: "-", text: "x")] + same.prefix(4)
        #expect(view.shortened(Array(near)).count == 5)
        #expect(view.shortened(same) == [Line(mark: "…", text: "20 unchanged lines", count: 20)])
        #expect(view.shortened([]).isEmpty)
    }

    @Test func `lines that the API leaves out are counted by the numbers of their neighbours`() throws {
        let view = DifferenceView([:], try Self.words())
        func line(_ mark: String, _ before: Int?, _ after: Int?) -> JSON {
            [
                "mark": .string(mark), "text": "x", "line_before": .optional(before, JSON.int),
                "line_after": .optional(after, JSON.int),
            ]
        }
        let lines = view.lines([
            line(" ", 8, 8), line("-", 9, nil), line("+", nil, 9), line("+", nil, 10), line(" ", 10, 11),
            line(" ", 31, 32), line("-", 32, nil),
        ])

        #expect(lines.map(\.mark) == ["…", " ", "-", "+", "+", " ", "…", " ", "-"])
        #expect(lines.filter { $0.mark == "…" }.map(\.count) == [7, 20])
        #expect(view.shortened(lines) == lines)
    }

    @Test func `changes that the API does not list are counted`() throws {
        let view = DifferenceView(
            ["groups": [["kind": "text", "changes": [["place": "a", "what": "added"]], "left_out": 30]]],
            try Self.words())
        let groups = try #require(view.model["groups"] as? [[String: Any]])

        #expect(view.summary == "31 changes. Words 31.")
        #expect(groups.first?["left_out"] as? [String] == ["30 further changes are not listed."])
    }

    @Test func `a very long difference ends with the number of the other lines`() throws {
        let view = DifferenceView([:], try Self.words())
        let lines = (1...(DifferenceView.maximumLines + 5)).map {
            DifferenceView.Line(mark: "+", text: "\($0)")
        }
        let shown = view.shortened(lines)

        #expect(shown.count == DifferenceView.maximumLines + 1)
        #expect(
            shown.last == DifferenceView.Line(mark: "…", text: "5 further lines are in the pack", count: 5))
    }
}
