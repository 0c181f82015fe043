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
        let columns = wide.count { $0.item != nil } + instrument.items.count { !$0.isCoded }
        return columns <= Self.maximumColumns ? instrument.items : []
    }

    /// The field of an item, after which its columns stand in the table.
    mutating func field(_ item: ItemHistory, _ names: inout REDCapNames) -> REDCapField {
        let name = names.take(
            REDCapDictionary.field(item.linkId, of: form), of: "\(form)/items/\(item.linkId)")
        let labels = CodeLabels(definitions: definitions).of(item)
        var cells: [REDCapField.Cell] = []
        if item.isCoded {
            let places = wide.indices.filter { wide[$0].item?.linkId == item.linkId }
            let options: [OptionValue?] = item.isMultiple ? item.options.map(\.value) : [nil]
            for (place, option) in zip(places, options) {
                let code = option?.text
                let cell =
                    code.map { names.take("\(name)___\(REDCapNames.choice($0))", of: "\(name)___\($0)") }
                    ?? name
                cells.append(
                    add(wide[place], reasons[place], cell, choice: code, labels: cellLabels(item, labels)))
            }
        } else {
            let words = Column(
                "text", .string, .expression("r.texts ->> \(SQLText.literal(item.linkId))"), "Text",
                identifierClass: .direct, source: .answer, item: item)
            let cell = CellExpression(history: item, option: nil)
            let reason = Column(
                "reason", .string, .expression(cell.reason(versions: instrument.versions.map(\.version))),
                "Reason",
                source: .derived, item: item)
            cells.append(add(words, reason, name, choice: nil, labels: [:]))
        }
        return REDCapField(name: name, form: form, dictionary: row(item, name, labels), cells: cells)
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

    /// As in the data dictionary of a dataset, with the options of all versions. Instants are told in UTC, which no validation of REDCap's fits.
    private func row(_ item: ItemHistory, _ name: String, _ labels: [(code: String, label: String)])
        -> [String]
    {
        let words = item.lastVersion(of: instrument) ?? instrument.newest
        var row = REDCapForm.dictionary(
            REDCapDictionary(definitions: definitions).row(item.newest, words))
        row[0] = name
        row[1] = form
        if !labels.isEmpty { row[5] = REDCapForm.words(labels) }
        if item.newest.type == .dateTime {
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
