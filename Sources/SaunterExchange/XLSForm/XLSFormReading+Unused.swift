import SaunterCore

/// Cells that change nothing here, each told of where it stands.
extension XLSFormReading {
    /// How a cell says yes; what says neither yes nor no is a condition.
    static let yes: Set = ["yes", "true", "true()", "1"]
    private static let no: Set = ["no", "false", "false()", "0"]
    private static let unused = [
        "hint", "guidance_hint", "choice_filter", "trigger", "parameters", "required_message",
    ]

    /// - Parameter type: what the row is read as.
    mutating func noteUnused(_ row: Grid.Row, _ type: ItemType) {
        let word = survey.cell(row, "type").lowercased()
        for column in Self.unused where column != "parameters" || !word.hasPrefix("range") {
            if survey.cell(row, column).nonBlank != nil { remark(row, column, "kept without effect") }
        }
        if (survey.translated["hint"] ?? []).contains(where: { !survey.cell(row, $0.column).isEmpty }) {
            remark(row, "name", "its hints are kept without effect")
        }
        for column in survey.media where !survey.cell(row, column).isEmpty {
            remarks.append(note(survey, row, column, "kept without effect"))
        }
        for column in survey.labels where survey.cell(row, column).contains("${") {
            remarks.append(note(survey, row, column, Self.shown))
        }
        noteConditions(row, type)
        guard let name = survey.cell(row, "name").nonBlank else { return }
        if !names.insert(name).inserted {
            remark(row, "name", "an earlier row has this name, and logic means the earlier one")
        }
    }

    private mutating func noteConditions(_ row: Grid.Row, _ type: ItemType) {
        for (column, effect) in [("required", "it is not required"), ("read_only", "it can be answered")] {
            let cell = survey.cell(row, column).lowercased()
            if type.isQuestion, !cell.isEmpty, !Self.yes.contains(cell), !Self.no.contains(cell) {
                remark(row, column, "the condition is kept without effect: \(effect)")
            }
        }
        if type.isQuestion, survey.cell(row, "calculation").nonBlank != nil {
            remark(row, "calculation", "kept without effect: it is asked")
        }
        if !type.isQuestion, survey.cell(row, "constraint").nonBlank != nil {
            remark(row, "constraint", "it is not checked: it stands at what is not answered")
        }
    }

    /// Pictures and sounds of choices, and fields in their words: each column is told of once, where it begins.
    mutating func noteUnusedOfChoices() {
        guard let choices else { return }
        for column in choices.media {
            let rows = choices.rows.filter { !choices.cell($0, column).isEmpty }
            guard let first = rows.first else { continue }
            remarks.append(note(choices, first, column, "left out, of \(rows.count) choices from here on"))
        }
        for column in choices.labels {
            guard let first = choices.rows.first(where: { choices.cell($0, column).contains("${") }) else {
                continue
            }
            remarks.append(note(choices, first, column, Self.shown))
        }
    }

    /// Lists that are filtered may have a choice in several places; ours have each once, and are not filtered.
    mutating func noteRepeated(
        _ given: [XLSFormLists.Option], _ row: Grid.Row, _ type: XLSFormType
    ) {
        var names: Set<String> = []
        let repeated = given.filter { !names.insert($0.name).inserted }
        guard let first = repeated.first else { return }
        remark(
            row, "type",
            "choices of \(type.list.prefix(60)) are left out, because earlier ones have their names: "
                + "\(repeated.count), the first \(first.name.prefix(60)) in row \(first.row.number)")
    }

    private static let shown = "a field in a text is shown as it is written, not its answer"

    private func note(_ table: XLSFormTable, _ row: Grid.Row, _ column: Int, _ detail: String) -> Remark {
        Remark(place: table.grid.place(row: row.number, column: column), detail: detail)
    }

    /// linkIds of what stands in repeating groups.
    static func repeated(_ items: [Item], within: Bool) -> Set<String> {
        items.reduce(into: Set<String>()) { found, item in
            if within { found.insert(item.linkId) }
            found.formUnion(repeated(item.item, within: within || item.isRepeatingGroup))
        }
    }
}

extension XLSFormTable {
    /// The columns of pictures, sounds and films, in whatever language.
    fileprivate var media: [Int] {
        header.cells.indices.filter { index in
            var heading = Self.plain(header.cells[index])[...]
            if heading.hasPrefix("media:") { heading = heading.dropFirst(6).drop { $0 == ":" } }
            return ["image", "big-image", "audio", "video"].contains(heading.prefix { $0 != ":" })
        }
    }

    /// The columns of the words that are shown, in all languages.
    fileprivate var labels: [Int] {
        (self["label"].map { [$0] } ?? []) + (translated["label"] ?? []).map(\.column)
    }
}
