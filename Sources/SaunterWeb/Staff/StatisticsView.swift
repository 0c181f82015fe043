import SaunterCore
import SaunterServer

/// `GET /v1/studies/{study}/statistics/{questionnaire}` in words, tables and figures.
struct StatisticsView {
    /// The query parameters that name one table for its file.
    static let filters = ["table", "version", "scale"]
    /// The query parameter that chooses means or medians for the plots of courses.
    static let course = "course"

    private let json: JSON
    private let study: String
    /// The address of the page.
    private let path: String
    private let now: Instant
    private let average: ScaleFigures.Average
    private let words: StatisticsWords

    init(
        _ json: JSON, study: String, path: String, now: Instant, average: ScaleFigures.Average = .mean,
        _ words: Words.Language
    ) {
        self.json = json
        self.study = study
        self.path = path
        self.now = now
        self.average = average
        self.words = StatisticsWords(words)
    }

    var title: String { json["title"]?.string ?? code }
    private var code: String { json["questionnaire"]?.string ?? "" }
    private var versions: [JSON] { json["versions"]?.array ?? [] }
    private var computedAt: Instant? { json["computed_at"]?.instant }

    // MARK: The page

    var model: [String: Any] {
        let time = LocalTimeText(language: words.language.code, zone: "UTC")
        let isRunning = ["queued", "running"].contains(json["state"]?.string ?? "")
        var model: [String: Any] = [
            "path": path, "state": state, "runs": isRunning, "is_computed": computedAt != nil,
            "action": words.text(computedAt == nil ? "compute" : "again"),
            "too_few": computedAt != nil && versions.isEmpty, "versions": versions.map { self.model($0) },
        ]
        if !versions.isEmpty {
            let other: ScaleFigures.Average = average == .mean ? .median : .mean
            model["other_average"] = [
                "address": other == .mean ? path : "\(path)?\(Self.course)=\(other)",
                "title": words.text("show_\(other)"),
            ]
        }
        if let computedAt { model["computed"] = [StaffTable.moment(computedAt, time)] }
        if let failure = json["failure"]?.string { model["failure"] = failure }
        return model
    }

    /// How far the study has changed since the result.
    private var state: String {
        guard computedAt != nil else { return words.text("none") }
        guard json["stale"]?.bool ?? true else { return words.text("current") }
        let count = json["newer_changes"]?.int ?? 0
        guard count > 0 else { return words.text("other_version") }
        return words.text(count == 1 ? "newer_one" : "newer_other", ["count": String(count)])
    }

    private func model(_ version: JSON) -> [String: Any] {
        let number = version["version"]?.string ?? ""
        let (sheets, people) = (version["sheets"]?.int ?? 0, version["people"]?.int)
        return [
            "id": "v-\(Self.mark(number))", "title": version["title"]?.string ?? title, "version": number,
            "sheets": people.map {
                words.text("sheets_of", ["sheets": String(sheets), "people": String($0)])
            } ?? words.text("sheets_only", ["sheets": String(sheets)]),
            "from": words.text(version["reliability_from"]?.string ?? "all_sheets"),
            "scales": (version["scales"]?.array ?? []).map { self.model($0, of: number) },
            "tables": StatisticsTable.ofVersion.map { self.model($0, version, scale: nil) },
        ]
    }

    private func model(_ scale: JSON, of version: String) -> [String: Any] {
        let figures = ScaleFigures(scale, words, average: average)
        let (id, mark) = (scale["scale"]?.string ?? "", Self.mark(version))
        var model: [String: Any] = ["id": "s-\(mark)-\(Self.mark(id))", "title": figures.title]
        let parent = versions.first { $0["version"]?.string == version } ?? .null
        for (name, found, table) in [
            ("histogram", figures.histograms, StatisticsTable.distribution),
            ("course", figures.courses, StatisticsTable.course),
            ("answers", figures.answers, StatisticsTable.answers),
        ] where !found.isEmpty {
            let part: [String: Any] = [
                "id": "\(name)-\(mark)-\(Self.mark(id))",
                "figures": found.map { ["svg": $0.svg, "finding": $0.finding] },
                "table": self.model(table, parent, scale: id),
            ]
            model[name] = part
        }
        return model
    }

    /// A text as a part of an id of an element.
    private static func mark(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    }

    // MARK: Tables

    private func model(_ table: StatisticsTable, _ version: JSON, scale: String?) -> [String: Any] {
        let number = version["version"]?.string ?? ""
        let query = StaffQuery(
            path: path, filters: Self.filters,
            values: ["table": table.rawValue, "version": number, "scale": scale ?? ""])
        var model = self.table(table, version, scale: scale).model(query, words.language)
        let parts = [table.rawValue, number, scale ?? ""].filter { !$0.isEmpty }
        model["id"] = "t-" + parts.map(Self.mark).joined(separator: "-")
        return model
    }

    /// The table that a query names. Nil if there is none.
    func table(_ query: StaffQuery) -> StaffTable? {
        guard let table = StatisticsTable(rawValue: query["table"]),
            let version = versions.first(where: { $0["version"]?.string == query["version"] })
        else { return nil }
        let scale = query["scale"].isEmpty ? nil : query["scale"]
        guard table.isOfScale == (scale != nil) else { return nil }
        let scales = version["scales"]?.array ?? []
        guard scale == nil || scales.contains(where: { $0["scale"]?.string == scale }) else { return nil }
        return self.table(table, version, scale: scale)
    }

    private func table(_ table: StatisticsTable, _ version: JSON, scale: String?) -> StaffTable {
        let scales = (version["scales"]?.array ?? []).filter { scale == nil || $0["scale"]?.string == scale }
        return StaffTable(
            name: [study, code, table.rawValue, scale].compactMap(\.self).joined(separator: "-"),
            caption: words.text("table_\(table.rawValue)"), columns: table.columns(words),
            rows: table.rows(version, scales, words), asOf: json["as_of"]?.instant ?? now)
    }
}

/// A table of the statistics of one version of a questionnaire.
enum StatisticsTable: String, CaseIterable {
    /// The scores of each bin, the mean score of each week, and the answers to each item. They belong to the figures of
    /// one scale.
    case distribution, course, answers
    /// Descriptive statistics of scores, in all arms and in each.
    case scores
    case reliability, items, missing
    /// Indicators of careless responding.
    case sheets

    /// The tables with the rows of all scales, in their order.
    static let ofVersion: [StatisticsTable] = [.scores, .reliability, .items, .missing, .sheets]

    /// Whether the table has the rows of one scale.
    var isOfScale: Bool { !Self.ofVersion.contains(self) }

    private static let descriptive = ["mean", "sd", "min", "max", "skew", "floor", "ceiling"]
    /// The figures of a scale that the table of scores has.
    private static let ofScores = Set(["n", "missing"] + descriptive)
    private static let ofItems =
        ["mean", "sd", "min", "max", "skew", "floor", "ceiling", "item_total_r", "alpha_if_dropped"]
    /// Figures that are shares.
    private static let shares: Set<String> = ["floor", "ceiling"]

    // MARK: Columns

    func columns(_ words: StatisticsWords) -> [StaffTable.Column] {
        func text(_ name: String) -> StaffTable.Column { .init(title: words.text(name)) }
        func number(_ name: String) -> StaffTable.Column { .init(title: words.text(name), isNumber: true) }
        func figures(_ names: [String]) -> [StaffTable.Column] { names.map { number("figure_\($0)") } }
        switch self {
        case .distribution:
            return [text("score"), text("arm"), number("from"), number("to"), number("sheets")]
        case .course:
            return [
                text("week"), text("arm"), number("participants"), number("figure_mean"), number("lower"),
                number("upper"), number("median"), number("lower_quartile"), number("upper_quartile"),
            ]
        case .answers:
            return [
                text("item"), text("text"), number("value"), text("answer"), number("sheets"),
                number("share"),
            ]
        case .scores:
            return [text("scale"), text("arm"), number("participants"), number("n"), number("without")]
                + figures(Self.descriptive)
        case .reliability:
            return [
                text("scale"), text("statistic"), number("value"), number("lower"), number("upper"),
                number("n"), text("reason"),
            ]
        case .items:
            return [text("item"), text("scale"), text("text"), number("n"), number("without")]
                + figures(Self.ofItems)
        case .missing: return [text("scale"), text("reason"), number("sheets")]
        case .sheets: return [text("statistic"), number("sheets"), number("value"), text("reason")]
        }
    }

    // MARK: Rows

    /// - Parameters:
    ///   - version: an element of `versions`.
    ///   - scales: the scales of the table.
    func rows(_ version: JSON, _ scales: [JSON], _ words: StatisticsWords) -> [[StaffTable.Cell]] {
        switch self {
        case .distribution: scales.flatMap { ScaleFigures($0, words).bins }
        case .course: scales.flatMap { ScaleFigures($0, words).weeks }
        case .answers: scales.flatMap { ScaleFigures($0, words).answerRows }
        case .scores: scales.flatMap { Self.scoreRows($0, version["people"]?.int, words) }
        case .reliability: scales.flatMap { Self.reliabilityRows($0, words) }
        case .items: scales.flatMap { Self.itemRows($0, words) }
        case .missing: scales.flatMap { Self.missingRows($0, words) }
        case .sheets:
            (version["sheet_figures"]?.array ?? []).map { figure in
                [
                    .text(words.figure(figure)), .number(figure["n"]?.int), Self.value(figure, words),
                    .text(words.whyNot(figure)),
                ]
            }
        }
    }

    /// - Parameter people: the participants of all arms; nil if the reply does not have them.
    private static func scoreRows(
        _ scale: JSON, _ people: Int?, _ words: StatisticsWords
    ) -> [[StaffTable.Cell]] {
        func row(_ arm: String, _ people: Int?, _ figures: Figures) -> [StaffTable.Cell] {
            let head: [StaffTable.Cell] = [
                .text(scale["title"]?.string ?? ""), .text(arm), .number(people), .number(figures.count("n")),
                .number(figures.count("missing")),
            ]
            return head + descriptive.map { statistic($0, figures, words) }
        }
        let arms: [[StaffTable.Cell]] = (scale["arms"]?.array ?? []).map {
            row($0["arm"]?.string ?? "", $0["people"]?.int, Figures($0))
        }
        return [row(words.text("all_arms"), people, Figures(scale))] + arms
    }

    private static func reliabilityRows(_ scale: JSON, _ words: StatisticsWords) -> [[StaffTable.Cell]] {
        Figures(scale).list.filter { !ofScores.contains($0["figure"]?.string ?? "") }.map { figure in
            [
                .text(scale["title"]?.string ?? ""), .text(words.figure(figure)), value(figure, words),
                words.cell(figure["lower"]?.double), words.cell(figure["upper"]?.double),
                .number(figure["n"]?.int), .text(words.whyNot(figure)),
            ]
        }
    }

    private static func itemRows(_ scale: JSON, _ words: StatisticsWords) -> [[StaffTable.Cell]] {
        (scale["items"]?.array ?? []).map { item in
            let figures = Figures(item)
            let head: [StaffTable.Cell] = [
                .text(item["item"]?.string ?? ""), .text(scale["title"]?.string ?? ""),
                .text(item["title"]?.string ?? ""), .number(figures.count("n")),
                .number(figures.count("missing")),
            ]
            return head + ofItems.map { statistic($0, figures, words) }
        }
    }

    private static func missingRows(_ scale: JSON, _ words: StatisticsWords) -> [[StaffTable.Cell]] {
        let title = scale["title"]?.string ?? ""
        let scored: [StaffTable.Cell] = [
            .text(title), .text(words.text("with_score")), .number(Figures(scale).count("n")),
        ]
        let missing: [[StaffTable.Cell]] = (scale["missing_by_reason"]?.array ?? []).map {
            [.text(title), .text(words.missing($0["reason"]?.string ?? "")), .number($0["n"]?.int)]
        }
        return [scored] + missing
    }

    /// A figure in a column: its value, or why it is undefined.
    private static func statistic(
        _ name: String, _ figures: Figures, _ words: StatisticsWords
    ) -> StaffTable.Cell {
        guard let figure = figures.first(name) else { return .statistic(nil, text: "–") }
        guard let value = figure["value"]?.double else {
            return .statistic(nil, text: "– (\(words.whyNot(figure)))")
        }
        return .statistic(value, text: shares.contains(name) ? words.percent(value) : words.number(value))
    }

    /// A figure in a row with the reason in another cell.
    private static func value(_ figure: JSON, _ words: StatisticsWords) -> StaffTable.Cell {
        words.cell(figure["value"]?.double)
    }
}

/// The figures of a scale, an arm or an item.
private struct Figures {
    let list: [JSON]

    init(_ parent: JSON) { list = parent["figures"]?.array ?? [] }

    func first(_ name: String) -> JSON? { list.first { $0["figure"]?.string == name } }

    /// A figure that is a count.
    func count(_ name: String) -> Int? { first(name)?["value"]?.double.map { Int($0) } }
}
