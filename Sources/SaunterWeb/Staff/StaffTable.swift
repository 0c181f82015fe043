import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterServer

/// A table of a staff page. The page and the CSV file are made of the same value, so the file has exactly the rows and
/// columns that the page shows.
struct StaffTable {
    /// A column.
    struct Column {
        var title: String
        /// The value of `sort` for this column; nil if it cannot be sorted.
        var sort: String?
        /// Whether the values are numbers or dates, which are aligned at the end and stay on one line.
        var isNumber = false
        /// Whether the cells lead to an act on their row. The file does not have the column.
        var isAction = false
    }

    /// A value of a row.
    enum Cell {
        case text(String)
        case link(String, address: String)
        /// A code or a date. The page shows the words, and the file contains the code.
        case code(String, words: String)
        /// Nil for a number that the visitor may not see.
        case number(Int?)
        /// A number with decimal places; nil if there is none.
        case decimal(Double?)
        /// A statistic. The page shows the text, and the file contains the number with all its decimal places. Nil if
        /// it is undefined; the text then is the reason.
        case statistic(Double?, text: String)
        case moment(Instant?)
        /// A percentage, as a text and as a bar; nil if there is none.
        case percent(Double?)
    }

    /// A filter of the form above the table.
    struct Filter {
        var name: String
        var title: String
        /// The values with their words; empty for a field for text.
        var options: [(value: String, title: String)] = []
        /// The type of a field for text: `search` or `date`.
        var type = "search"
    }

    /// The beginning of the name of the file.
    var name: String
    /// The id of the table in its page, of which some have several tables.
    var id = "table"
    /// What the rows are.
    var caption: String
    var columns: [Column]
    /// Each has one cell per column. The first cell names the row.
    var rows: [[Cell]]
    var filters: [Filter] = []
    /// The instant of the values.
    var asOf: Instant
    /// The cursor of the next page; nil on the last page.
    var next: String?
    /// The value of `sort` without which the rows are in this order; nil if no column has it.
    var usualSort: String?
    /// What the page says if there are no rows even without filters; nil for the same as with filters.
    var emptyText: String?
    /// The kinds of changes after which the page reads the rows again, separated by spaces; nil for none.
    var live: String?

    // MARK: The file

    var csv: [UInt8] {
        let kept = columns.indices.filter { !columns[$0].isAction }
        return SpreadsheetText.file(
            header: kept.map { columns[$0].title }, rows: rows.map { row in kept.map { Self.field(row[$0]) } }
        )
    }

    /// The file as a reply.
    var csvReply: Reply {
        let moment = asOf.description.replacing(":", with: "-")
        return .bytes(
            csv, contentType: "text/csv; charset=utf-8",
            headers: [.contentDisposition: "attachment; filename=\"\(name)-\(moment).csv\""])
    }

    private static func field(_ cell: Cell) -> String? {
        switch cell {
        case .text(let text), .link(let text, _), .code(let text, _): text.isEmpty ? nil : text
        case .number(let number): number.map(String.init)
        case .moment(let moment): moment?.description
        case .decimal(let number), .statistic(let number, _), .percent(let number): number.map { String($0) }
        }
    }

    // MARK: The page

    /// The model of the template `staff_table`.
    /// - Parameter faults: those of the filters; nil for none.
    func model(
        _ query: StaffQuery, _ words: Words.Language, _ faults: FormFaults? = nil
    ) -> [String: Any] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        var model: [String: Any] = [
            "id": id, "caption": caption, "path": query.path, "csv": query.csvAddress,
            "has_rows": !rows.isEmpty,
            "as_of": Self.moment(asOf, time), "columns": columns.map { self.model($0, query) },
            "rows": rows.map { row in
                let cells = zip(row, columns).map { Self.model($0, $1, time, words) }
                return ["head": Array(cells.prefix(1)), "cells": Array(cells.dropFirst())]
            },
            "filters": filters.map {
                Self.model($0, query[$0.name], fault: faults?.text(at: "filter-\($0.name)"))
            },
            "orders": orders(query, words), "has_orders": columns.contains { $0.sort != nil },
        ]
        model["live"] = live
        if query.isFiltered {
            model["unfiltered"] = query.unfilteredAddress
        } else {
            model["empty"] = emptyText
        }
        if let next { model["next"] = query.address(cursor: next) }
        if !query["cursor"].isEmpty { model["first"] = query.address(cursor: nil) }
        return model
    }

    /// The column's title, and the link that sorts by it: ascending, and descending if it is sorted already.
    private func model(_ column: Column, _ query: StaffQuery) -> [String: Any] {
        var model: [String: Any] = ["title": column.title, "is_number": column.isNumber]
        guard let sort = column.sort else { return model }
        let current = order(query)
        let isAscending = current == sort
        model["sort_address"] = query.address(sort: isAscending ? "-\(sort)" : sort)
        if isAscending { model["sorted"] = "ascending" }
        if current == "-\(sort)" { model["sorted"] = "descending" }
        return model
    }

    private func order(_ query: StaffQuery) -> String {
        query["sort"].isEmpty ? usualSort ?? "" : query["sort"]
    }

    /// The orders for a small screen, on which the table has no head.
    private func orders(_ query: StaffQuery, _ words: Words.Language) -> [[String: Any]] {
        var values: [(value: String, title: String)] = []
        if usualSort == nil { values.append(("", words.text("staff", "usual_order"))) }
        for column in columns {
            guard let sort = column.sort else { continue }
            values.append((sort, column.title))
            values.append(("-\(sort)", words.text("staff", "largest_first", ["title": column.title])))
        }
        return Self.options(values, order(query))
    }

    private static func model(_ filter: Filter, _ value: String, fault: String?) -> [String: Any] {
        var model: [String: Any] = [
            "name": filter.name, "title": filter.title, "value": value, "type": filter.type,
            "is_date": filter.type == "date",
            "options": options(filter.options, value), "has_options": !filter.options.isEmpty,
        ]
        model["wrong"] = fault
        return model
    }

    private static func options(
        _ options: [(value: String, title: String)], _ current: String
    ) -> [[String: Any]] {
        options.map { ["value": $0.value, "title": $0.title, "selected": $0.value == current] }
    }

    private static func model(
        _ cell: Cell, _ column: Column, _ time: LocalTimeText, _ words: Words.Language
    ) -> [String: Any] {
        var model: [String: Any] = ["title": column.title, "is_number": column.isNumber]
        switch cell {
        case .text(let text), .code(_, let text): model["text"] = text
        case .number(let number): model["text"] = number.map(String.init) ?? "–"
        case .decimal(let number): model["text"] = number.map(words.number) ?? "–"
        case .statistic(let number, let text):
            model["text"] = text
            if let number { model["value"] = String(number) }
        case .moment(let moment):
            model["text"] = "–"
            if let moment { model["moment"] = [Self.moment(moment, time)] }
        case .link(let text, let address):
            model["text"] = text
            model["link"] = address
        case .percent(let percent):
            model["text"] = percent.map { "\(words.number($0)) %" } ?? "–"
            if let percent { model["bar"] = String(percent) }
        }
        return model
    }

    /// An instant for a `time` element. Its words are in UTC until the script of the page writes them in the zone of
    /// the browser.
    static func moment(_ moment: Instant, _ time: LocalTimeText) -> [String: String] {
        ["machine": moment.description, "words": "\(time.dayAndTime(moment)) UTC"]
    }
}
