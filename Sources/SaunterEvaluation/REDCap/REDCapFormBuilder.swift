import SaunterCore

/// Makes the fields of an instrument's form, and the table from which their rows are read. The table has the columns of
/// the wide file, the free texts, and the reasons for blanks under separate names.
struct REDCapFormBuilder {
    /// Columns of the wide file that the keys of a REDCap record already contain.
    private static let recordKeys = ["participant_id", "arm", "schedule"]
    /// The maximum number of answer columns. Values and reasons together stay below PostgreSQL's limit of columns.
    private static let maximumColumns = 750

    let instrument: InstrumentHistory
    let definitions: StudyDefinitions
    let form: String
    private let wide: [Column]
    private let reasons: [Column]
    /// The columns of the table that were made for items, in order.
    private var made: [Column] = []
    /// The scales of the active scoring keys.
    private let scales: [String]

    init(instrument: InstrumentHistory, definitions: StudyDefinitions, form: String) {
        self.instrument = instrument
        self.definitions = definitions
        self.form = form
        let wide = WideTables(of: instrument)
        self.wide = wide.values.withExpressions(definitions).columns
        reasons = wide.reasons.withExpressions(definitions).columns
        scales = definitions.scales(of: instrument)
    }

    /// The columns of the wide file that are not answers.
    var sheetColumns: [Column] { wide.filter { $0.item == nil && !Self.recordKeys.contains($0.name) } }

    /// The questions. Empty if there are too many columns for one table.
    var items: [ItemHistory] {
        let columns =
            wide.count { $0.item != nil } + scales.count
            + instrument.items.count { !$0.isCoded || $0.newest.type.acceptsFreeText }
        return columns <= Self.maximumColumns ? instrument.items : []
    }

    /// Makes the fields of an item and adds their columns to the table.
    mutating func fields(_ item: ItemHistory, _ names: inout REDCapNames) -> [REDCapField] {
        let questionnaire = item.lastVersion(of: instrument) ?? instrument.newest
        let labels = CodeLabels(definitions: definitions).of(item)
        // A form has the options of all versions.
        var merged = item.newest
        merged.answerOption =
            item.newest.type.hasOptions ? item.options.filter { $0.value != other(item) } : []
        return REDCapDictionary(definitions: definitions).rows(merged, questionnaire, choices: labels).map {
            part, row in
            let wanted = REDCapDictionary.field(item.linkId, of: form) + part.suffix
            let name = names.makeName(wanted, of: "\(form)/items/\(item.linkId)\(part.suffix)")
            return REDCapField(
                name: name, form: form, dictionary: dictionary(row, item, part, name),
                recordColumns: recordColumns(part, of: item, name, labels, &names))
        }
    }

    /// The fields of the scores. They are texts with numbers that cannot be edited: the server computes scores, and
    /// REDCap's equations cannot express every scoring key.
    func scoreFields(_ names: inout REDCapNames) -> [REDCapField] {
        scales.enumerated().map { index, scale in
            let name = names.makeName(
                REDCapDictionary.field(scale, of: form), of: "\(form)/scores/\(scale)")
            let label = instrument.versions.reversed().lazy
                .compactMap { $0.text(in: definitions.language).scales[scale] }.first
            return REDCapField(
                name: name, form: form,
                dictionary: REDCapForm.dictionary(
                    REDCapDictionary.row(
                        field: name, form: form, type: "text", label: label ?? "Score \(scale)",
                        validation: "number", annotation: "@READONLY")),
                recordColumns: [
                    .init(
                        name: name, choice: nil, labels: [:], column: Self.scoreColumn(index), reason: nil,
                        constant: "")
                ])
        }
    }

    private static func scoreColumn(_ index: Int) -> String { "score_\(index)" }

    /// The code of free text in an open choice. Nil if an option of the item has the same code.
    private func other(_ item: ItemHistory) -> OptionValue? {
        let other = OptionValue.code(Item.otherCode)
        let isOption = item.appearances.contains { $0.item.answerOption.contains { $0.value == other } }
        return item.newest.type.acceptsFreeText && !isOption ? other : nil
    }

    private mutating func recordColumns(
        _ part: REDCapPart, of item: ItemHistory, _ name: String, _ labels: [(code: String, label: String)],
        _ names: inout REDCapNames
    ) -> [REDCapField.RecordColumn] {
        let options = zip(item.columnOptions, wide.indices.filter { wide[$0].item?.linkId == item.linkId })
        func index(of option: OptionValue?) -> Int? { options.first { $0.0 == option }?.1 }
        let none: [String: String] = [:]
        switch part {
        case .rank(let option):
            return index(of: option).map { [add(wide[$0], reasons[$0], name, choice: nil, labels: none)] }
                ?? []
        case .unit:
            return index(of: .code(Item.unitCode)).map {
                [add(wide[$0], reasons[$0], name, choice: nil, labels: none)]
            } ?? []
        case .freeText: return [text(item, .code(Item.otherCode), name)]
        case .answer where !item.isCoded: return [text(item, nil, name)]
        case .answer where item.isMultiple:
            return options.map { option, index in
                let code = option?.text ?? ""
                let columnName = names.makeName(
                    "\(name)___\(REDCapNames.choice(code))", of: "\(name)___\(code)")
                return add(
                    wide[index], reasons[index], columnName, choice: code,
                    labels: valueLabels(item, labels))
            }
        case .answer:
            return index(of: nil).map {
                [add(wide[$0], reasons[$0], name, choice: nil, labels: valueLabels(item, labels))]
            } ?? []
        }
    }

    /// The column of a free text, which no wide file contains.
    private mutating func text(_ item: ItemHistory, _ option: OptionValue?, _ name: String)
        -> REDCapField.RecordColumn
    {
        let column = Column(
            "text", .string, .expression("r.texts ->> \(SQLText.literal(item.linkId))"), "Text",
            identifierClass: .direct, source: .answer, item: item)
        // If one option was chosen, an absent free text is not a blank of the item.
        let cell = CellExpression(history: item, option: item.isMultiple ? option : nil)
        let reason = Column(
            "reason", .string, .expression(cell.reason(versions: instrument.versions.map(\.version))),
            "Reason", source: .derived, item: item)
        return add(column, reason, name, choice: nil, labels: [:])
    }

    /// The rows of the form, sorted by participant, event and instance.
    var table: Table {
        Table(
            "redcap_\(instrument.code)", "Sheets of \(instrument.code) as REDCap's records",
            key: ["participant_id", "event_rank", "repeat_instance"],
            statement: SQLFile.readers["reading_redcap_form"],
            ctes: [.sheetInScope, .numberedSheet, .activeKey], instrument: instrument.code,
            columns: [
                wide.filter { $0.item == nil }, made,
                scales.enumerated().map { index, scale in
                    Column(
                        Self.scoreColumn(index), .number, .expression(Column.scoreExpression(scale)),
                        "Score \(scale)", source: .derived)
                },
                [
                    Column("event_rank", .integer, "Index of the schedule in the study"),
                    Column("repeat_instance", .integer, "Index among the sheets of one schedule"),
                ],
            ])
    }

    private mutating func add(
        _ value: Column, _ reason: Column, _ name: String, choice: String?, labels: [String: String]
    ) -> REDCapField.RecordColumn {
        let number = made.count / 2
        made.append(value.renamed("value_\(number)"))
        made.append(reason.renamed("reason_\(number)"))
        return .init(
            name: name, choice: choice, labels: labels, column: "value_\(number)", reason: "reason_\(number)",
            constant: "")
    }

    private func valueLabels(
        _ item: ItemHistory, _ labels: [(code: String, label: String)]
    ) -> [String: String] {
        item.newest.type.form == .truth
            ? ["0": "No", "1": "Yes"] : Dictionary(labels.map { ($0.code, $0.label) }) { first, _ in first }
    }

    /// The row in the data dictionary. Instants are in UTC, for which REDCap has no validation type.
    private func dictionary(_ row: [String?], _ item: ItemHistory, _ part: REDCapPart, _ name: String)
        -> [String]
    {
        var row = REDCapForm.dictionary(row)
        row[0] = name
        row[1] = form
        if item.newest.type.definition.column == .instant, part == .answer, !item.isCounted {
            row[6] = "UTC"
            row[7] = ""
        }
        return row
    }
}

extension Column {
    /// A copy of the column with another name.
    func renamed(_ name: String) -> Column {
        var column = Column(
            name, type, form, label, unit: unit, valueSet: valueSet, identifierClass: identifierClass,
            source: source, derivedFrom: derivedFrom, item: item)
        column.isDropped = isDropped
        return column
    }
}
