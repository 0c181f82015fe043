import SaunterCore

/// Reads the fields of one form.
struct REDCapReading {
    /// The key of a pack under which columns are kept.
    static let key = "x-redcap"

    let form: String
    let code: String
    private var maker = NameMaker()
    private var fields: [String: Item] = [:]
    var options: [String: [String: OptionValue]] = [:]
    var text = QuestionnaireText(title: "", items: [:], options: [:])
    private var places: [String: String] = [:]
    private var kept: [String: JSONObject] = [:]
    /// linkId -> the row that it comes from; of no section's header.
    private var rowOf: [String: REDCapRow] = [:]
    private var matrices: Set<String> = []
    /// The names of all fields of the dictionary.
    private let known: Set<String>
    private var remarks: [Remark]

    /// - Parameters:
    ///   - known: the names of all fields of the dictionary.
    ///   - remarks: what is to be said of the form's rows before they are read.
    init(form: String, code: String, known: Set<String>, remarks: [Remark]) {
        self.form = form
        self.code = code
        self.known = known
        self.remarks = remarks
    }

    mutating func instrument(_ rows: [REDCapRow]) throws(ImportRefusal) -> ImportedInstrument {
        text.title = form.split(separator: "_").joined(separator: " ").nonBlank ?? code
        let place = "line \(rows.first?.line ?? 1)"
        guard rows.count <= 2000 else { throw ImportRefusal(place: place, detail: "more than 2000 fields") }
        var items: [Item] = []
        for row in rows { items += read(row) }
        for index in items.indices {
            if let row = rowOf[items[index].linkId] { branch(&items[index], row) }
        }
        var draft = Draft(
            questionnaire: Questionnaire(
                code: code, version: "1.0.0", item: items, text: ["en": text], languages: ["en"]),
            places: places, place: place, remarks: remarks)
        try draft.fit()
        let members = kept.mapValues { [Self.key: JSON.object($0)] }
        let root: [String: JSON] = form == code ? [:] : [Self.key: ["Form Name": .string(form)]]
        return try draft.instrument(format: "a REDCap data dictionary", root: root, kept: members)
    }

    mutating func keep(_ linkId: String, _ column: REDCapColumn, _ row: REDCapRow) {
        guard let cell = row.verbatim(column) else { return }
        kept[linkId, default: JSONObject()][column.rawValue] = .string(cell)
    }

    /// The item of a field, with one before it for its section's header.
    private mutating func read(_ row: REDCapRow) -> [Item] {
        var items: [Item] = []
        if let header = row[.section].nonBlank {
            let section = Item(linkId: maker.take("section_\(row[.field])"), type: .display)
            text.items[section.linkId] = header
            places[section.linkId] = row.place(.section)
            kept[section.linkId] = ["of": .string(row[.field])]
            items.append(section)
        }
        let name = maker.take(row[.field], limit: row[.type] == "checkbox" ? 16 : 24, letter: "f")
        places[name] = row.place(.type)
        rowOf[name] = row
        text.items[name] = row[.label].nonBlank ?? row[.field]
        if name != row[.field] { keep(name, .field, row) }
        for column in [
            REDCapColumn.section, .note, .identifier, .alignment, .number, .matrix, .ranking, .annotation,
        ] { keep(name, column, row) }
        if row[.label].isEmpty { kept[name, default: JSONObject()][REDCapColumn.label.rawValue] = "" }
        var item = Item(linkId: name, type: .string)
        item.required = row[.required].lowercased() == "y"
        shape(&item, row)
        annotations(of: &item, row)
        noteUnused(row, name)
        if fields[row[.field]] == nil {
            fields[row[.field]] = item
        } else {
            remark(
                row, .field,
                "an earlier field has this name: it is called \(name), and logic means the earlier one")
        }
        items.append(item)
        return items
    }

    /// Columns that are kept and change nothing here.
    private mutating func noteUnused(_ row: REDCapRow, _ name: String) {
        if row[.identifier].lowercased() == "y" {
            remark(row, .identifier, "kept without effect")
        }
        if row[.note].nonBlank != nil { remark(row, .note, "kept without effect") }
        if row[.type].lowercased() == "slider", row[.choices].nonBlank != nil {
            remark(row, .choices, "the words at the slider are kept without effect")
        }
        for column in Self.idle(row[.type].lowercased()) where !["", "NA"].contains(row[column]) {
            keep(name, column, row)
            remark(row, column, "kept without effect: a field of this type has none")
        }
        let hasChoices = Self.typesWithChoices.contains(row[.type].lowercased())
        let shown: [REDCapColumn] = hasChoices ? [.section, .label, .choices] : [.section, .label]
        for column in shown where Self.isPiped(row[column], known) {
            remark(row, column, "a field in a text is shown as it is written, not its answer")
        }
        if let matrix = row[.matrix].nonBlank, matrices.insert(matrix).inserted {
            remark(
                row, .matrix, "kept without effect: the fields of \(matrix.prefix(60)) are asked one by one")
        }
        if row[.ranking].lowercased() == "y" {
            remark(row, .ranking, "kept without effect: a choice may be taken in several rows")
        }
    }

    /// Columns that fields of a type do not have: a text has no choices, though it may name an ontology there.
    private static func idle(_ type: String) -> [REDCapColumn] {
        switch type {
        case "text": [.choices]
        case "notes", "textarea", "yesno", "truefalse", "descriptive": [.choices, .validation, .least, .most]
        case let type where typesWithChoices.contains(type): [.least, .most]
        default: []
        }
    }

    /// Whether a text asks for the answer to a field: `[name]`, `{name}`, `[name:label]`, `[name(2)]`, with an event before it or without.
    private static func isPiped(_ text: String, _ fields: Set<String>) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "[" || $0 == "{" }
        return parts.dropFirst().contains { part in
            let name = part.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            guard let next = part.dropFirst(name.count).first, "]}(:".contains(next) else { return false }
            return fields.contains(String(name))
        }
    }

    // MARK: Types

    private static let typesWithChoices: Set = ["radio", "dropdown", "select", "checkbox"]

    private mutating func shape(_ item: inout Item, _ row: REDCapRow) {
        let type = row[.type].lowercased()
        switch type {
        case "text": validation(of: &item, row)
        case "notes", "textarea": item.type = .text
        case "yesno": item.type = .boolean
        case "truefalse":
            item.type = .boolean
            keep(item.linkId, .type, row)
        case let type where Self.typesWithChoices.contains(type):
            choices(of: &item, row, type)
        case "slider":
            item.type = .integer
            item.itemControl = .slider
            item.minValue = sliderEnd(row, .least) ?? 0
            item.maxValue = sliderEnd(row, .most) ?? 100
            for column in [REDCapColumn.type, .choices, .validation, .least, .most] {
                keep(item.linkId, column, row)
            }
        case "descriptive": (item.type, item.required) = (.display, false)
        case "calc", "file", "sql":
            (item.type, item.required) = (.display, false)
            item.hidden = type != "file"
            for column in [REDCapColumn.type, .choices, .validation, .required] {
                keep(item.linkId, column, row)
            }
            // Hidden by us, not by a tag.
            let annotation = row.verbatim(.annotation) ?? ""
            kept[item.linkId, default: JSONObject()][REDCapColumn.annotation.rawValue] = .string(annotation)
            remark(row, .type, "a field of the type \(type) is kept and not asked")
        default:
            keep(item.linkId, .type, row)
            remark(row, .type, "the type \(type.prefix(40)) is asked as a text")
        }
    }

    mutating func remark(_ row: REDCapRow, _ column: REDCapColumn, _ detail: String) {
        remarks.append(Remark(place: row.place(column), detail: detail))
    }

    private mutating func validation(of item: inout Item, _ row: REDCapRow) {
        let name = row[.validation].lowercased()
        var canonical = ""
        switch name {
        case "": break
        case "integer", "int": (item.type, canonical) = (.integer, "integer")
        case "number", "float", "number_comma_decimal": (item.type, canonical) = (.decimal, "number")
        case let name where name.hasPrefix("number_") && name.utf8.count > 8:
            item.type = .decimal
            item.maxDecimalPlaces = name.dropFirst(7).first.flatMap { Int(String($0)) }
        case let name where name.hasPrefix("datetime"):
            // Its moments have no zone, and ours have one.
            item.type = .dateTime
            canonical = "datetime_seconds_ymd"
        case let name where name.hasPrefix("date"): (item.type, canonical) = (.date, "date_ymd")
        case "time", "time_hh_mm_ss": (item.type, canonical) = (.time, "time_hh_mm_ss")
        case "autocomplete": item.itemControl = .autocomplete
        default: remark(row, .validation, "the validation \(name.prefix(40)) is kept without effect")
        }
        if name != canonical { keep(item.linkId, .validation, row) }
        item.minValue = bound(of: item, row, .least)
        item.maxValue = bound(of: item, row, .most)
    }

    private mutating func bound(of item: Item, _ row: REDCapRow, _ column: REDCapColumn) -> Double? {
        let text = row[column]
        guard !text.isEmpty else { return nil }
        let bound: Double? =
            switch item.type {
            case .integer, .decimal: Double(text.replacing(",", with: ".")).flatMap { $0.isFinite ? $0 : nil }
            case .date: LocalDate(text).map { Double($0.days) }
            case .time: LocalTime(text).map { Double($0.seconds) }
            default: nil
            }
        if bound.map({ JSONNumber($0).literal }) != text { keep(item.linkId, column, row) }
        if bound == nil { remark(row, column, "the bound is kept without effect") }
        return bound
    }

    private mutating func sliderEnd(_ row: REDCapRow, _ column: REDCapColumn) -> Double? {
        let text = row[column]
        guard !text.isEmpty else { return nil }
        guard let end = Double(text), end.isFinite else {
            remark(row, column, "the bound is kept without effect")
            return nil
        }
        return end
    }

    private mutating func branch(_ item: inout Item, _ row: REDCapRow) {
        guard let source = row[.branching].nonBlank else { return }
        let translation = LogicTranslation(fields: fields, options: options, dialect: .redcap)
        do throws(LogicFault) {
            switch try translation.rule(source) {
            case .conditions(let conditions, let behavior):
                (item.enableWhen, item.enableBehavior) = (conditions, behavior)
            case .expression(let expression): item.enableWhenExpression = expression
            }
        } catch {
            remark(row, .branching, "it is always shown: \(error.detail)")
        }
        // Kept as it was written: our own rules say which fields it hangs on, not in which words.
        keep(item.linkId, .branching, row)
    }
}
