import SaunterCore

/// The response of `GET /v1/studies/{study}/adherence` as a table with one row for each participant and one column for
/// each study day.
struct HeatMap {
    /// The study days of one view.
    static let daysPerView = 28
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
    private let json: JSON
    private let words: Words.Language

    /// - Parameter first: the first study day of the view. `json` contains no occasions of other views.
    init(_ json: JSON, from first: Int, _ words: Words.Language) {
        self.json = json
        self.words = words
        let items = json["items"]?.array ?? []
        // A participant who follows an older version of the study can have later days.
        let planned = items.compactMap { $0["days"]?.array?.last?["study_day"]?.int }.max() ?? 0
        lastDay = max(json["study_days"]?.int ?? 0, planned)
        days = first...min(first + Self.daysPerView - 1, max(lastDay, first))
        rows = Self.rows(items, days, words)
    }

    /// The last study day of the view that begins with a day.
    static func end(from first: Int) -> Int { min(first + daysPerView - 1, maximumDay) }

    /// The first study day that an address states; 0 if it states none, and nil if the API rejects it.
    static func first(_ text: String) -> Int? {
        text.isEmpty ? 0 : Int(text).flatMap { (0...maximumDay).contains($0) ? $0 : nil }
    }

    private static func rows(
        _ items: [JSON], _ days: ClosedRange<Int>, _ words: Words.Language
    ) -> [Row] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        // Participants share most dates, and writing a date takes long.
        var texts: [LocalDate: String] = [:]
        func text(_ date: LocalDate) -> String {
            if let known = texts[date] { return known }
            let made = time.shortDay(date.description)
            texts[date] = made
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
                    let empty: JSON = ["study_day": .int(number), "date": .string(date.description)]
                    return StudyDayView(byNumber[number] ?? empty, dateText: text(date), words)
                },
                unsent: item["unsent"]?.int, settled: item["total"]?["settled"]?.int,
                completed: item["total"]?["completed"]?.int,
                percent: item["total"]?["adherence_percent"]?.double)
        }
    }

    /// The first day of the view before this one; nil for the first view.
    var earlier: Int? { days.lowerBound > 0 ? max(0, days.lowerBound - Self.daysPerView) : nil }
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
        [
            "numbers": days.map { String($0) }, "legend": legend, "has_rows": !rows.isEmpty,
            "rows": rows.map { row in
                let address = "\(participants)/\(PageAddress.encodePart(row.pseudonym))"
                return [
                    "pseudonym": row.pseudonym, "address": address, "arm": row.arm,
                    "cells": row.cells.map { Self.model($0, address) },
                    "unsent": row.unsent.map { String($0) } ?? "–",
                    "completed": String(row.completed ?? 0), "settled": String(row.settled ?? 0),
                    "percent": row.percent.map { "\(words.number($0)) %" } ?? "–",
                ] as [String: Any]
            },
        ]
    }

    /// A day without occasions leads nowhere.
    private static func model(_ cell: StudyDayView, _ address: String) -> [String: Any] {
        [
            "glyph": cell.glyph, "state": cell.state, "text": cell.text,
            "is_planned": cell.state != DayState.notPlanned.rawValue,
            "link": "\(address)?from=\(cell.date)&to=\(cell.date)",
        ]
    }
}
