import SaunterCore

/// Makes the fields of an instrument's form, and the table whose rows they are read from: the instrument's wide file with its texts, and the
/// reasons for blanks under names of their own.
struct REDCapFormBuilder {
    /// Of the wide file's first columns those that tell neither who nor which event, which other columns of a record do.
    private static let known = ["participant_id", "arm", "schedule"]
    /// With the reasons, below PostgreSQL's limit of columns.
    private static let maximumColumns = 750

    let instrument: InstrumentHistory
    let definitions: StudyDefinitions
    let form: String
    private let wide: [Column]
    private let reasons: [Column]
    /// What was made for the items, in order.
    private var made: [Column] = []

    init(instrument: InstrumentHistory, definitions: StudyDefinitions, form: String) {
        self.instrument = instrument
        self.definitions = definitions
        self.form = form
        let wide = Wide(of: instrument)
        self.wide = wide.values.inExpressions(definitions).columns
        reasons = wide.reasons.inExpressions(definitions).columns
    }

    var head: [Column] { wide.filter { $0.item == nil && !Self.known.contains($0.name) } }

    /// The questions; none where there are too many for one table.
    var items: [ItemHistory] {
        let columns =
            wide.count { $0.item != nil }
            + instrument.items.count { !$0.isCoded || $0.newest.type == .openChoice }
        return columns <= Self.maximumColumns ? instrument.items : []
    }

    /// The fields of an item, after which their columns stand in the table.
    mutating func fields(_ item: ItemHistory, _ names: inout REDCapNames) -> [REDCapField] {
        let words = item.lastVersion(of: instrument) ?? instrument.newest
        let labels = CodeLabels(definitions: definitions).of(item)
        // A form has the options of all versions.
        var known = item.newest
        known.answerOption =
            item.newest.type.hasOptions ? item.options.filter { $0.value != other(item) } : []
        return REDCapDictionary(definitions: definitions).rows(known, words, choices: labels).map {
            part, row in
            let wanted = REDCapDictionary.field(item.linkId, of: form) + part.suffix
            let name = names.take(wanted, of: "\(form)/items/\(item.linkId)\(part.suffix)")
            return REDCapField(
                name: name, form: form, dictionary: dictionary(row, item, part, name),
                cells: cells(part, of: item, name, labels, &names))
        }
    }

    /// The code of own words, which is no option of the item; nil where it is one.
    private func other(_ item: ItemHistory) -> OptionValue? {
        let other = OptionValue.code(Item.otherCode)
        let isOption = item.appearances.contains { $0.item.answerOption.contains { $0.value == other } }
        return item.newest.type == .openChoice && !isOption ? other : nil
    }

    private mutating func cells(
        _ part: REDCapPart, of item: ItemHistory, _ name: String, _ labels: [(code: String, label: String)],
        _ names: inout REDCapNames
    ) -> [REDCapField.Cell] {
        let places = zip(item.columnOptions, wide.indices.filter { wide[$0].item?.linkId == item.linkId })
        func place(of option: OptionValue?) -> Int? { places.first { $0.0 == option }?.1 }
        let none: [String: String] = [:]
        switch part {
        case .rank(let option):
            return place(of: option).map { [add(wide[$0], reasons[$0], name, choice: nil, labels: none)] }
                ?? []
        case .unit:
            return place(of: .code(Item.unitCode)).map {
                [add(wide[$0], reasons[$0], name, choice: nil, labels: none)]
            } ?? []
        case .words: return [text(item, .code(Item.otherCode), name)]
        case .answer where !item.isCoded: return [text(item, nil, name)]
        case .answer where item.isMultiple:
            return places.map { option, place in
                let code = option?.text ?? ""
                let cell = names.take("\(name)___\(REDCapNames.choice(code))", of: "\(name)___\(code)")
                return add(
                    wide[place], reasons[place], cell, choice: code, labels: cellLabels(item, labels))
            }
        case .answer:
            return place(of: nil).map {
                [add(wide[$0], reasons[$0], name, choice: nil, labels: cellLabels(item, labels))]
            } ?? []
        }
    }

    /// The cell of a text, which no wide file has.
    private mutating func text(_ item: ItemHistory, _ option: OptionValue?, _ name: String)
        -> REDCapField.Cell
    {
        let words = Column(
            "text", .string, .expression("r.texts ->> \(SQLText.literal(item.linkId))"), "Text",
            identifierClass: .direct, source: .answer, item: item)
        // Where an option of one was chosen, own words are no blank of the item.
        let cell = CellExpression(history: item, option: item.isMultiple ? option : nil)
        let reason = Column(
            "reason", .string, .expression(cell.reason(versions: instrument.versions.map(\.version))),
            "Reason", source: .derived, item: item)
        return add(words, reason, name, choice: nil, labels: [:])
    }

    /// The rows of the form, in the order of records, events and instances.
    var table: Table {
        Table(
            "redcap_\(instrument.code)", "Sheets of \(instrument.code) as REDCap's records",
            key: ["participant_id", "event_rank", "repeat_instance"],
            statement: SQLFile.readers["reading_redcap_form"], frames: [.sheetInScope, .numberedSheet],
            instrument: instrument.code,
            columns: [
                wide.filter { $0.item == nil }, made,
                [
                    Column("event_rank", .integer, "Place of the schedule in the study"),
                    Column("repeat_instance", .integer, "Place among the sheets of one schedule"),
                ],
            ])
    }

    private mutating func add(
        _ value: Column, _ reason: Column, _ name: String, choice: String?, labels: [String: String]
    ) -> REDCapField.Cell {
        let place = made.count / 2
        made.append(value.renamed("value_\(place)"))
        made.append(reason.renamed("reason_\(place)"))
        return .init(
            name: name, choice: choice, labels: labels, column: "value_\(place)", reason: "reason_\(place)",
            constant: "")
    }

    private func cellLabels(_ item: ItemHistory, _ labels: [(code: String, label: String)]) -> [String:
        String]
    {
        switch item.newest.type {
        case .boolean: ["0": "No", "1": "Yes"]
        default: Dictionary(labels.map { ($0.code, $0.label) }) { first, _ in first }
        }
    }

    /// As in the data dictionary of a dataset. Instants are told in UTC, which no validation of REDCap's fits.
    private func dictionary(_ row: [String?], _ item: ItemHistory, _ part: REDCapPart, _ name: String)
        -> [String]
    {
        var row = REDCapForm.dictionary(row)
        row[0] = name
        row[1] = form
        if item.newest.type == .dateTime, part == .answer, !item.isCounted {
            row[6] = "UTC"
            row[7] = ""
        }
        return row
    }
}

extension Column {
    /// The same cells under another name.
    func renamed(_ name: String) -> Column {
        var column = Column(
            name, type, form, label, unit: unit, valueSet: valueSet, identifierClass: identifierClass,
            source: source, derivedFrom: derivedFrom, item: item)
        column.isDropped = isDropped
        return column
    }
}
