import Foundation
import SaunterCore
import Testing

@testable import SaunterWeb

/// The map of adherence: one row for each participant, one column for each study day.
@Suite struct HeatMapTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private static func words(_ code: String = "en") throws -> Words.Language {
        try #require(try Words(WebFiles(folder: nil)).languages.first { $0.code == code })
    }

    private static func day(_ number: Int, _ state: DayState) -> JSON {
        [
            "study_day": .int(number),
            "date": .string(LocalDate(days: 20_400).adding(days: number).description),
            "state": .string(state.rawValue), "offered": 3, "completed": 2,
        ]
    }

    private static func response(_ days: [JSON], studyDays: Int = 28) -> JSON {
        let adherence: JSON = ["settled": 3, "completed": 2, "on_time": 1, "adherence_percent": 66.7]
        return [
            "items": [
                [
                    "participant_id": "P-017", "arm": "A", "unsent": 4,
                    "enrolled_on": .string(LocalDate(days: 20_400).description), "total": adherence,
                    "days": .array(days),
                ]
            ],
            "study_days": .int(studyDays),
            "totals": [
                "weeks": [["week": 2, "adherence": adherence]],
                "arms": [["arm": "A", "participants": 1, "adherence": adherence]],
                "questionnaires": [["questionnaire": "who_5", "adherence": adherence]],
            ],
        ]
    }

    @Test(arguments: DayState.allCases)
    func `the class of a cell is the state, and its text has the words of the state`(state: DayState) throws {
        let words = try Self.words()
        let map = HeatMap(Self.response([Self.day(0, state)]), from: 0, span: 28, words)

        let cell = try #require(map.rows.first?.cells.first)

        #expect(cell.state == state.rawValue && cell.glyph == StudyDayView.glyphs[state])
        #expect(cell.text.hasSuffix(words.text("participant", "day_\(state.rawValue)")))
    }

    @Test func `every state has another sign and another text`() throws {
        let states = DayState.allCases
        let days = states.enumerated().map { Self.day($0, $1) }
        let cells = HeatMap(Self.response(days), from: 0, span: 28, try Self.words()).rows[0].cells.prefix(
            states.count)

        #expect(Set(cells.map(\.glyph)).count == states.count)
        #expect(Set(cells.map(\.state)).count == states.count)
    }

    @Test func `a cell states the date of the participant and both counts`() throws {
        let map = HeatMap(Self.response([Self.day(3, .late)]), from: 0, span: 28, try Self.words())

        let cell = map.rows[0].cells[3]

        #expect(cell.date == LocalDate(days: 20_403).description && cell.number == 3)
        #expect(cell.text.hasSuffix(": 2 of 3, late"))
    }

    @Test func `a day without occasions has a date and no sign`() throws {
        let cell = HeatMap(Self.response([]), from: 0, span: 28, try Self.words()).rows[0].cells[1]

        #expect(cell.glyph.isEmpty && cell.state == "not_planned")
        #expect(cell.date == LocalDate(days: 20_401).description && !cell.text.contains(" of "))
    }

    @Test(
        arguments: [
            (0, 28, 28, 0...27, nil, 28), (28, 28, 28, 28...28, 0, nil), (10, 28, 90, 10...37, 0, 38),
            (56, 28, 90, 56...83, 28, 84), (84, 28, 90, 84...90, 56, nil), (0, 28, 6, 0...6, nil, nil),
            (200, 28, 28, 200...200, 172, nil), (0, 90, 89, 0...89, nil, nil), (0, 90, 90, 0...89, nil, 90),
            (90, 90, 104, 90...104, 0, nil), (28, 90, 104, 28...104, 0, nil),
        ] as [(Int, Int, Int, ClosedRange<Int>, Int?, Int?)])
    func `a view has at most the days of its span, and leads to those before and after it`(
        first: Int, span: Int, studyDays: Int, days: ClosedRange<Int>, earlier: Int?, later: Int?
    ) throws {
        let map = HeatMap(
            Self.response([], studyDays: studyDays), from: first, span: span, try Self.words())

        #expect(map.days == days && map.earlier == earlier && map.later == later)
    }

    @Test func `days after the last one of the live version are shown`() throws {
        let map = HeatMap(
            Self.response([Self.day(9, .missed)], studyDays: 6), from: 0, span: 28, try Self.words())

        #expect(map.days == 0...9 && map.rows[0].cells[9].state == "missed")
    }

    @Test(
        arguments: [
            ("", 0), ("0", 0), ("28", 28), ("-1", nil), ("x", nil), ("9223372036854775807", nil),
        ] as [(String, Int?)])
    func `a first day that the API rejects is not read`(text: String, day: Int?) {
        #expect(HeatMap.first(text) == day)
    }

    @Test func `the file has the text of each cell, and the totals have numerator and denominator`() throws {
        let map = HeatMap(
            Self.response([Self.day(0, .late)], studyDays: 1), from: 0, span: 28, try Self.words())

        let file = String(decoding: map.table(name: "w", asOf: Self.now).csv.dropFirst(3), as: UTF8.self)
        let lines = file.split(separator: "\n")
        let arms = map.totals(.arms, name: "w", asOf: Self.now)
        let weeks = String(
            decoding: map.totals(.weeks, name: "w", asOf: Self.now).csv.dropFirst(3), as: UTF8.self)

        #expect(lines.count == 2 && lines[1].hasPrefix("P-017,A,\"") && lines[1].contains("2 of 3, late"))
        #expect(lines[1].hasSuffix(",4,2,3,66.7"))
        #expect(arms.name == "w-arms" && arms.columns.count == arms.rows[0].count)
        #expect(weeks.split(separator: "\n").last == "2,2,1,3,66.7")
    }

    @Test(
        arguments: [
            ("", 28), ("28", 28), ("90", 90), ("30", nil), ("090", nil), ("-28", nil), ("x", nil),
        ] as [(String, Int?)])
    func `a view has 28 or 90 days`(text: String, span: Int?) {
        #expect(HeatMap.span(text) == span)
    }

    @Test func `only planned days are links, and they lead to their day`() throws {
        let map = HeatMap(
            Self.response([Self.day(0, .open)], studyDays: 1), from: 0, span: 28, try Self.words())

        let rows = try #require(map.model(participants: "/staff/w/participants")["rows"] as? [[String: Any]])
        let html = try #require(rows.first?["cells_html"] as? String)

        let (open, empty) = (map.rows[0].cells[0], map.rows[0].cells[1])
        let address = "/staff/w/participants/P-017?from=\(open.date)&amp;to=\(open.date)"
        #expect(
            html == """
                <td><a class="open" href="\(address)" aria-label="\(open.text)">○</a></td>\
                <td><span class="visually-hidden">\(empty.text)</span></td>
                """)
    }

    @Test func `the addresses and texts of cells are escaped`() throws {
        let day = StudyDayView(
            Self.day(0, .onTime), dateText: "a \"b\" <c>", try Self.words())
        var cells = HeatMapCells()

        let html = cells.html([day, day], participant: "/p/\"&<")

        let start = """
            <td><a class="on_time" href="/p/&quot;&amp;&lt;?from=\(day.date)&amp;to=\(day.date)" \
            aria-label="a &quot;b&quot; &lt;c&gt;: 2 of 3,
            """
        #expect(html.hasPrefix(start) && html.components(separatedBy: start).count == 3)
        #expect(html.hasSuffix("\">●</a></td>"))
    }

    /// A page of 50 participants and 90 days has at most 40 kB with compression, and so has few bytes for each cell.
    @Test func `a cell is short, and has its text once`() throws {
        let days = (0..<90).map { Self.day($0, DayState.allCases[$0 % 4]) }
        let map = HeatMap(Self.response(days, studyDays: 89), from: 0, span: 90, try Self.words())

        let model = map.model(participants: "/staff/mindful-walking/participants")
        let html = try #require((model["rows"] as? [[String: Any]])?.first?["cells_html"] as? String)

        #expect(model["is_long"] as? Bool == true && map.rows[0].cells.count == 90)
        #expect(html.components(separatedBy: map.rows[0].cells[0].text).count == 2)
        #expect(html.utf8.count <= 90 * 185)
    }

    @Test(arguments: ["en", "de"])
    func `the legend names every sign`(code: String) throws {
        let legend = HeatMap(Self.response([]), from: 0, span: 28, try Self.words(code)).legend

        #expect(legend.count == DayState.allCases.count - 1)
        #expect(legend.allSatisfy { $0["glyph"]?.isEmpty == false && $0["text"]?.isEmpty == false })
    }
}

/// A device in words.
@Suite struct DeviceViewTests {
    private static func device(_ count: Int, _ ranges: [(Int, Int)]) -> DeviceView {
        DeviceView([
            "missing_count": .int(count),
            "missing": .array(ranges.map { ["from": .int($0.0), "to": .int($0.1)] }),
        ])
    }

    @Test func `missing numbers are ranges, and the first is the oldest`() {
        let device = Self.device(3, [(1, 1), (3, 4)])

        #expect(device.missing == "1, 3–4" && device.oldest == 1)
        #expect(Self.device(0, []).missing.isEmpty && Self.device(0, []).oldest == nil)
    }

    @Test func `a list that is not complete ends with dots`() {
        #expect(Self.device(9, [(1, 1), (3, 4)]).missing == "1, 3–4, …")
    }
}
