import SaunterCore

/// Adds remarks about cells that have no effect.
extension XLSFormReader {
    /// Texts that mean yes. A cell that contains neither yes nor no contains a condition.
    static let yes: Set = ["yes", "true", "true()", "1"]
    private static let no: Set = ["no", "false", "false()", "0"]
    private static let unused = [
        "guidance_hint", "choice_filter", "trigger", "parameters", "required_message",
    ]

    /// Adds remarks about the cells of a row.
    /// - Parameter type: the item type of the row.
    mutating func noteUnused(_ row: Worksheet.Row, _ type: ItemType) {
        let word = survey.cell(row, "type").lowercased()
        for column in Self.unused where survey.cell(row, column).nonBlank != nil {
            switch column {
            case "parameters" where word.hasPrefix("range"): break
            case "parameters" where type == .choice: noteParameters(row)
            default: remark(row, column, "kept without effect")
            }
        }
        for column in survey.unusedTranslations where !survey.cell(row, column).isEmpty {
            remarks.append(makeRemark(survey, row, column, "kept without effect"))
        }
        for (language, column) in survey.translated["hint"] ?? []
        where !languages.isKnown(language) && !survey.cell(row, column).isEmpty {
            remarks.append(
                makeRemark(
                    survey, row, column, "kept without effect: the form has no labels in this language"))
        }
        for column in survey.media where !survey.cell(row, column).isEmpty {
            remarks.append(makeRemark(survey, row, column, "kept without effect"))
        }
        for column in survey.labels + survey.hints where survey.cell(row, column).contains("${") {
            remarks.append(makeRemark(survey, row, column, Self.fieldReference))
        }
        noteConditions(row, type)
        guard let name = survey.cell(row, "name").nonBlank else { return }
        if !names.insert(name).inserted {
            remark(row, "name", "an earlier row has this name, and conditions refer to the earlier one")
        }
    }

    /// Adds remarks about the parameters of a choice. Random order is supported, a seed is not.
    private mutating func noteParameters(_ row: Worksheet.Row) {
        let parts = survey.cell(row, "parameters").split { $0.isWhitespace || ";,".contains($0) }
        for part in parts where part.lowercased() != "randomize=true" {
            remark(row, "parameters", "\(part.prefix(60)) is kept without effect")
        }
    }

    /// Whether a row is preserved and not imported: a disabled row, or a row without a type. Adds the remark.
    mutating func isIgnored(_ row: Worksheet.Row, _ type: XLSFormType) -> Bool {
        if Self.yes.contains(survey.cell(row, "disabled").lowercased()) {
            remark(row, "disabled", "the row is disabled: it is kept and not asked")
            return true
        }
        guard type.word.isEmpty, row.cells.contains(where: { $0.nonBlank != nil }) else { return false }
        remark(row, "type", "the row has no type: it is kept and not asked")
        return true
    }

    /// Adds remarks about ignored columns: columns with the same heading as an earlier column, and columns whose values
    /// a device sets.
    mutating func noteUnusedColumns() {
        for table in [survey, choices].compactMap(\.self) {
            for column in table.duplicateColumns {
                noteFirst(table, column, "left out, because an earlier column is the same")
            }
        }
        for column in survey.deviceColumns { noteFirst(survey, column, "kept without effect") }
    }

    private mutating func noteFirst(_ table: XLSFormTable, _ column: Int, _ detail: String) {
        let rows = table.rows.filter { !table.cell($0, column).isEmpty }
        guard let first = rows.first else { return }
        let more = rows.count > 1 ? " (the first of \(rows.count) rows)" : ""
        remarks.append(makeRemark(table, first, column, detail + more))
    }

    private mutating func noteConditions(_ row: Worksheet.Row, _ type: ItemType) {
        for (column, effect) in [
            ("required", "the question is not required"), ("read_only", "the question can be answered"),
        ] {
            let cell = survey.cell(row, column).lowercased()
            if type.isQuestion, !cell.isEmpty, !Self.yes.contains(cell), !Self.no.contains(cell) {
                remark(row, column, "the condition is kept without effect: \(effect)")
            }
        }
        if type.isQuestion, survey.cell(row, "calculation").nonBlank != nil {
            remark(row, "calculation", "kept without effect: the question is asked, not calculated")
        }
        if !type.isQuestion, survey.cell(row, "constraint").nonBlank != nil {
            remark(row, "constraint", "the answer is not checked: the row is not a question")
        }
    }

    /// Adds remarks about media of choices, and fields in the labels of choices: one remark per column, at its first
    /// use.
    mutating func noteUnusedChoiceCells() {
        guard let choices else { return }
        if let first = lists.incompleteRows.first {
            let more =
                lists.incompleteRows.count > 1 ? " (the first of \(lists.incompleteRows.count) rows)" : ""
            remarks.append(
                Remark(
                    location: choices.location(first, "name"),
                    detail: "the row is left out, because it has no list or no name" + more))
        }
        for column in choices.media {
            let rows = choices.rows.filter { !choices.cell($0, column).isEmpty }
            guard let first = rows.first else { continue }
            remarks.append(
                makeRemark(choices, first, column, "left out, for \(rows.count) choices from this row on"))
        }
        for column in choices.labels {
            guard let first = choices.rows.first(where: { choices.cell($0, column).contains("${") }) else {
                continue
            }
            remarks.append(makeRemark(choices, first, column, Self.fieldReference))
        }
    }

    /// Adds a remark about choices that occur several times in a list. Filtered lists may repeat a choice; Saunter
    /// imports each once and does not filter.
    mutating func noteRepeated(
        _ given: [XLSFormLists.Option], _ row: Worksheet.Row, _ type: XLSFormType
    ) {
        var names: Set<String> = []
        let repeated = given.filter { !names.insert($0.name).inserted }
        guard let first = repeated.first else { return }
        remark(
            row, "type",
            "choices of \(type.list.prefix(60)) are left out, because earlier ones have the same names: "
                + "\(repeated.count), the first \(first.name.prefix(60)) in row \(first.row.number)")
    }

    private static let fieldReference =
        "a reference to a field in a text is shown as it is written, not as its answer"

    private func makeRemark(_ table: XLSFormTable, _ row: Worksheet.Row, _ column: Int, _ detail: String)
        -> Remark
    {
        Remark(location: table.worksheet.location(row: row.number, column: column), detail: detail)
    }
}

extension XLSFormTable {
    /// The columns of guidance hints and of messages about missing answers, in all languages.
    fileprivate var unusedTranslations: [Int] {
        header.cells.indices.filter { index in
            let heading = Self.normalise(header.cells[index])
            return heading.hasPrefix("guidance_hint:") || heading.hasPrefix("required_message:")
        }
    }

    /// The columns of values that a device or another program sets or looks up.
    fileprivate var deviceColumns: [Int] {
        header.cells.indices.filter { index in
            let heading = Self.normalise(header.cells[index])
            let isBound = heading.hasPrefix("bind:") || heading.hasPrefix("instance:")
            return isBound && !Self.isSynonym(heading) || ["save_to", "intent", "query"].contains(heading)
        }
    }

    /// The columns of images, sounds and videos, in all languages.
    fileprivate var media: [Int] {
        header.cells.indices.filter { index in
            var heading = Self.normalise(header.cells[index])[...]
            if heading.hasPrefix("media:") { heading = heading.dropFirst(6).drop { $0 == ":" } }
            return ["image", "big-image", "audio", "video"].contains(heading.prefix { $0 != ":" })
        }
    }

    /// The columns of hints, in all languages.
    fileprivate var hints: [Int] {
        (self["hint"].map { [$0] } ?? []) + (translated["hint"] ?? []).map(\.column)
    }

    /// The columns of labels, in all languages.
    fileprivate var labels: [Int] {
        (self["label"].map { [$0] } ?? []) + (translated["label"] ?? []).map(\.column)
    }
}
