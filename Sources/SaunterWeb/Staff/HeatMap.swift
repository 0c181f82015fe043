import SaunterCore
import SaunterFigures

/// The response of `GET /v1/studies/{study}/adherence` as a table with one row for each participant and one column for
/// each study day.
struct HeatMap {
    /// The numbers of study days that a view can have. The first is the default.
    static let spans = [28, 90]
    /// The highest study day that the API accepts.
    private static let maximumDay = 36_500

    /// A participant.
    struct Row {
        var pseudonym: String
        var arm: String
        /// One for each study day of the view.
        var cells: [StudyDayView]
        /// The records that devices still hold.
        var unsent: Int?
        var settled: Int?
        var completed: Int?
        /// Answered occasions as a percentage of the settled ones; nil if there are none.
        var percent: Double?
    }

    /// The study days of the view.
    let days: ClosedRange<Int>
    let rows: [Row]
    /// The number of the last day of the study.
    private let lastDay: Int
    /// The study days of a whole view.
    private let span: Int
    private let json: JSON
    private let words: Words.Language

    /// - Parameters:
    ///   - first: the first study day of the view. `json` contains no occasions of other views.
    ///   - span: the number of study days of a view.
    init(_ json: JSON, from first: Int, span: Int, _ words: Words.Language) {
        self.json = json
        self.span = span
        self.words = words
        let items = json["items"]?.array ?? []
        // A participant who follows an older version of the study can have later days.
        let planned = items.compactMap { $0["days"]?.array?.last?["study_day"]?.int }.max() ?? 0
        lastDay = max(json["study_days"]?.int ?? 0, planned)
        days = first...min(first + span - 1, max(lastDay, first))
        rows = Self.rows(items, days, words)
    }

    /// The last study day of the view that begins with a day.
    static func end(from first: Int, span: Int) -> Int { min(first + span - 1, maximumDay) }

    /// The number of study days that an address states; the default if it states none, and nil if no view has so many.
    static func span(_ text: String) -> Int? {
        text.isEmpty ? spans[0] : spans.first { String($0) == text }
    }

    /// The first study day that an address states; 0 if it states none, and nil if the API rejects it.
    static func first(_ text: String) -> Int? {
        text.isEmpty ? 0 : Int(text).flatMap { (0...maximumDay).contains($0) ? $0 : nil }
    }

    private static func rows(
        _ items: [JSON], _ days: ClosedRange<Int>, _ words: Words.Language
    ) -> [Row] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        // Participants share most dates and days, and writing them takes long.
        var texts: [LocalDate: String] = [:]
        func text(_ date: LocalDate) -> String {
            if let known = texts[date] { return known }
            let made = time.shortDay(date.description)
            texts[date] = made
            return made
        }
        var views: [Shown: StudyDayView] = [:]
        func view(_ day: JSON, _ date: LocalDate) -> StudyDayView {
            let shown = Shown(day, date)
            if let known = views[shown] { return known }
            let made = StudyDayView(day, dateText: text(date), words)
            views[shown] = made
            return made
        }
        return items.map { item in
            let start = item["enrolled_on"]?.string.flatMap { LocalDate($0) } ?? .minimum
            let byNumber = Dictionary(
                (item["days"]?.array ?? []).map { ($0["study_day"]?.int ?? -1, $0) },
                uniquingKeysWith: { first, _ in first })
            return Row(
                pseudonym: item["participant_id"]?.string ?? "", arm: item["arm"]?.string ?? "",
                cells: days.map { number in
                    let date = start.adding(days: number)
                    return view(byNumber[number] ?? Self.empty(number, date), date)
                },
                unsent: item["unsent"]?.int, settled: item["total"]?["settled"]?.int,
                completed: item["total"]?["completed"]?.int,
                percent: item["total"]?["adherence_percent"]?.double)
        }
    }

    /// What a cell shows of a day.
    private struct Shown: Hashable {
        var number: Int?
        var date: LocalDate
        var state: String?
        var completed: Int?
        var offered: Int?

        init(_ day: JSON, _ date: LocalDate) {
            number = day["study_day"]?.int
            self.date = date
            state = day["state"]?.string
            completed = day["completed"]?.int
            offered = day["offered"]?.int
        }
    }

    /// A day without occasions.
    private static func empty(_ number: Int, _ date: LocalDate) -> JSON {
        ["study_day": .int(number), "date": .string(date.description)]
    }

    /// The first day of the view before this one; nil for the first view.
    var earlier: Int? { days.lowerBound > 0 ? max(0, days.lowerBound - span) : nil }
    /// The first day of the view after this one; nil if the study has no later day.
    var later: Int? { days.upperBound < lastDay ? days.upperBound + 1 : nil }

    /// The signs with their words.
    var legend: [[String: String]] {
        StudyDayView.legend(Set(DayState.allCases.map(\.rawValue)), words)
    }

    // MARK: Tables

    /// The map as a table with a word instead of each sign, for the file.
    func table(name: String, asOf: Instant) -> StaffTable {
        StaffTable(
            name: name, caption: say("caption"),
            columns: [.init(title: staff("pseudonym")), .init(title: staff("arm"))]
                + days.map { .init(title: say("day", ["day": String($0)])) }
                + [number(say("unsent")), number(staff("completed")), number(staff("settled"))]
                + [number(staff("adherence"))],
            rows: rows.map { row in
                [.text(row.pseudonym), .text(row.arm)] + row.cells.map { .text($0.text) }
                    + [
                        .number(row.unsent), .number(row.completed), .number(row.settled),
                        .percent(row.percent),
                    ]
            },
            asOf: asOf)
    }

    /// The totals of the page.
    enum Grouping: String, CaseIterable {
        case weeks, arms, questionnaires

        /// The member of a total that names the group.
        fileprivate var member: String {
            switch self {
            case .weeks: "week"
            case .arms: "arm"
            case .questionnaires: "questionnaire"
            }
        }
    }

    /// The totals by week, arm or questionnaire, with numerator and denominator.
    /// - Parameter titles: what the page shows instead of the code of a questionnaire.
    func totals(
        _ grouping: Grouping, name: String, asOf: Instant, titles: [String: String] = [:]
    ) -> StaffTable {
        let groups = json["totals"]?[grouping.rawValue]?.array ?? []
        let participants = grouping == .arms ? [number(staff("participants"))] : []
        return StaffTable(
            name: "\(name)-\(grouping.rawValue)", id: grouping.rawValue, caption: say(grouping.rawValue),
            columns: [.init(title: say(grouping.member))] + participants
                + [number(staff("completed")), number(say("on_time")), number(staff("settled"))]
                + [number(staff("adherence"))],
            rows: groups.map { group in
                let adherence = group["adherence"]
                let title =
                    group[grouping.member]?.string ?? group[grouping.member]?.int.map(String.init) ?? ""
                let count: [StaffTable.Cell] =
                    grouping == .arms ? [.number(group["participants"]?.int)] : []
                let words = grouping == .questionnaires ? titles[title] ?? title : title
                return [.code(title, words: words)] + count + [
                    .number(adherence?["completed"]?.int), .number(adherence?["on_time"]?.int),
                    .number(adherence?["settled"]?.int),
                    .percent(adherence?["adherence_percent"]?.double),
                ]
            },
            asOf: asOf)
    }

    private func number(_ title: String) -> StaffTable.Column { .init(title: title, isNumber: true) }

    private func staff(_ name: String) -> String { words.text("staff", name) }

    private func say(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("heat_map", name, values)
    }

    // MARK: The page

    /// The model of the table in the template `staff_adherence`.
    /// - Parameter participants: the address of the list of participants.
    func model(participants: String) -> [String: Any] {
        var cells = HeatMapCells()
        return [
            "numbers": days.map { String($0) }, "legend": legend, "has_rows": !rows.isEmpty,
            "is_long": span > Self.spans[0],
            "rows": rows.map { row in
                let address = "\(participants)/\(PageAddress.encodePart(row.pseudonym))"
                return [
                    "pseudonym": row.pseudonym, "address": address, "arm": row.arm,
                    "cells_html": cells.html(row.cells, participant: address),
                    "unsent": row.unsent.map { String($0) } ?? "–",
                    "completed": String(row.completed ?? 0), "settled": String(row.settled ?? 0),
                    "percent": row.percent.map { "\(words.number($0)) %" } ?? "–",
                ] as [String: Any]
            },
        ]
    }
}

/// Writes the cells of the map as HTML. A map can have 4,500 cells, for which a template takes several times as long.
struct HeatMapCells {
    /// What follows the participant's address in the cell of a day. Participants share most days.
    private var ends: [StudyDayView: String] = [:]

    /// The cells of one participant. A day without occasions leads nowhere.
    /// - Parameter participant: the address of the participant's page.
    mutating func html(_ days: [StudyDayView], participant: String) -> String {
        let address = Markup.escaped(participant)
        var html = ""
        for day in days {
            if day.state == DayState.notPlanned.rawValue {
                html += "<td>\(end(of: day))"
            } else {
                html += "<td><a class=\"\(day.state)\" href=\"\(address)\(end(of: day))"
            }
        }
        return html
    }

    private mutating func end(of day: StudyDayView) -> String {
        if let known = ends[day] { return known }
        let (text, date) = (Markup.escaped(day.text), Markup.escaped(day.date))
        let made =
            day.state == DayState.notPlanned.rawValue
            ? "<span class=\"visually-hidden\">\(text)</span></td>"
            : "?from=\(date)&amp;to=\(date)\" aria-label=\"\(text)\">\(day.glyph)</a></td>"
        ends[day] = made
        return made
    }
}
