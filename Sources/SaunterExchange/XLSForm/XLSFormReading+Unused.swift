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
        for column in Self.unused where survey.cell(row, column).nonBlank != nil {
            switch column {
            case "parameters" where word.hasPrefix("range"): break
            case "parameters" where type == .choice: noteParameters(row)
            default: remark(row, column, "kept without effect")
            }
        }
        for column in survey.unusedTranslations where !survey.cell(row, column).isEmpty {
            remarks.append(note(survey, row, column, "kept without effect"))
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

    /// A random order of the choices is drawn; from which seed, nobody says here.
    private mutating func noteParameters(_ row: Grid.Row) {
        let parts = survey.cell(row, "parameters").split { $0.isWhitespace || ";,".contains($0) }
        for part in parts where part.lowercased() != "randomize=true" {
            remark(row, "parameters", "\(part.prefix(60)) is kept without effect")
        }
    }

    /// Whether a row is told of and not read: one that is disabled, or says something and has no type.
    mutating func isLeftOut(_ row: Grid.Row, _ type: XLSFormType) -> Bool {
        if Self.yes.contains(survey.cell(row, "disabled").lowercased()) {
            remark(row, "disabled", "the row is disabled: it is kept and not asked")
            return true
        }
        guard type.word.isEmpty, row.cells.contains(where: { $0.nonBlank != nil }) else { return false }
        remark(row, "type", "the row has no type: it is kept and not asked")
        return true
    }

    /// Columns that are not read: those that stand there twice, and those of what a device does by itself.
    mutating func noteUnusedColumns() {
        for table in [survey, choices].compactMap(\.self) {
            for column in table.repeated {
                noteFirst(table, column, "left out, because an earlier column is the same")
            }
        }
        for column in survey.ofDevices { noteFirst(survey, column, "kept without effect") }
    }

    private mutating func noteFirst(_ table: XLSFormTable, _ column: Int, _ detail: String) {
        let rows = table.rows.filter { !table.cell($0, column).isEmpty }
        guard let first = rows.first else { return }
        let more = rows.count > 1 ? ", and so in \(rows.count - 1) more" : ""
        remarks.append(note(table, first, column, detail + more))
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
        if let first = lists.nameless.first {
            let more = lists.nameless.count > 1 ? ", and so are \(lists.nameless.count - 1) more" : ""
            remarks.append(
                Remark(
                    place: choices.place(first, "name"),
                    detail: "the row is left out, because it has no list or no name" + more))
        }
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
    /// The columns of further hints and of what is said where an answer is missing, in whatever language.
    fileprivate var unusedTranslations: [Int] {
        header.cells.indices.filter { index in
            let heading = Self.plain(header.cells[index])
            return heading.hasPrefix("guidance_hint:") || heading.hasPrefix("required_message:")
        }
    }

    /// The columns of values that a device or another program would set or look up.
    fileprivate var ofDevices: [Int] {
        header.cells.indices.filter { index in
            let heading = Self.plain(header.cells[index])
            let isBound = heading.hasPrefix("bind:") || heading.hasPrefix("instance:")
            return isBound && !Self.isSynonym(heading) || ["save_to", "intent", "query"].contains(heading)
        }
    }

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
