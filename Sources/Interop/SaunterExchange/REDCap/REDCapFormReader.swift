import SaunterCore

/// Reads the fields of one form into an instrument.
struct REDCapFormReader {
    /// The key of the preserved columns in a pack.
    static let key = "x-redcap"

    let form: String
    let code: String
    private let version: String
    private var nameGenerator = NameGenerator()
    /// Name of the field in the dictionary -> item.
    private var fields: [String: Item] = [:]
    /// linkId -> code of the choice in the dictionary -> its value in Saunter.
    var options: [String: [String: OptionValue]] = [:]
    var text = QuestionnaireText(title: "", items: [:], options: [:])
    /// linkId -> location in the dictionary, for remarks.
    private var locations: [String: String] = [:]
    /// linkId -> cells that an export writes again. For a section header, the name of the field that it precedes.
    private var preserved: [String: JSONObject] = [:]
    /// linkId -> row of the item; section headers have none.
    private var rowOf: [String: REDCapRow] = [:]
    private var matrices: Set<String> = []
    /// The names of all fields of the dictionary.
    private let known: Set<String>
    private var remarks: [Remark]

    /// - Parameters:
    ///   - known: the names of all fields of the dictionary.
    ///   - remarks: existing remarks about the rows of the form.
    init(form: String, code: String, version: String, known: Set<String>, remarks: [Remark]) {
        self.form = form
        self.code = code
        self.version = version
        self.known = known
        self.remarks = remarks
    }

    mutating func readInstrument(_ rows: [REDCapRow]) throws(ImportError) -> ImportedInstrument {
        text.title = form.split(separator: "_").joined(separator: " ").nonBlank ?? code
        let location = "line \(rows.first?.line ?? 1)"
        var items: [Item] = []
        for row in rows {
            items += read(row)
            guard items.count <= Questionnaire.maximumItems else {
                throw ImportError(tooManyItemsIn: form, location: row.location(.field))
            }
        }
        for index in items.indices {
            if let row = rowOf[items[index].linkId] { readBranchingLogic(&items[index], row) }
        }
        var draft = QuestionnaireDraft(
            questionnaire: Questionnaire(
                code: code, version: version, item: items, text: ["en": text], languages: ["en"]),
            locations: locations, location: location, remarks: remarks)
        try draft.removeInvalidProperties()
        let members = preserved.mapValues { [Self.key: JSON.object($0)] }
        let root: [String: JSON] = form == code ? [:] : [Self.key: ["Form Name": .string(form)]]
        return try draft.instrument(format: "a REDCap data dictionary", root: root, preserved: members)
    }

    mutating func preserve(_ linkId: String, _ column: REDCapColumn, _ row: REDCapRow) {
        guard let cell = row.verbatim(column) else { return }
        preserved[linkId, default: JSONObject()][column.rawValue] = .string(cell)
    }

    /// The item of a field. If the field begins a section, a display item with the section header comes before it.
    private mutating func read(_ row: REDCapRow) -> [Item] {
        var items: [Item] = []
        if let header = row[.section].nonBlank {
            let section = Item(linkId: nameGenerator.makeName("section_\(row[.field])"), type: .display)
            text.items[section.linkId] = header
            locations[section.linkId] = row.location(.section)
            preserved[section.linkId] = ["of": .string(row[.field])]
            items.append(section)
        }
        let name = nameGenerator.makeName(row[.field], limit: row[.type] == "checkbox" ? 16 : 24, letter: "f")
        locations[name] = row.location(.type)
        rowOf[name] = row
        text.items[name] = row[.label].nonBlank ?? row[.field]
        if name != row[.field] { preserve(name, .field, row) }
        for column in [
            REDCapColumn.section, .identifier, .alignment, .number, .matrix, .ranking, .annotation,
        ] { preserve(name, column, row) }
        if let note = row[.note].nonBlank {
            text.help[name] = note
            if note != row.verbatim(.note) { preserve(name, .note, row) }
        }
        if row[.label].isEmpty { preserved[name, default: JSONObject()][REDCapColumn.label.rawValue] = "" }
        var item = Item(linkId: name, type: .string)
        item.required = row[.required].lowercased() == "y"
        readType(of: &item, row)
        readAnnotations(of: &item, row)
        noteUnused(row, name)
        if fields[row[.field]] == nil {
            fields[row[.field]] = item
        } else {
            remark(
                row, .field,
                "an earlier field has this name: this one is called \(name), and branching logic refers to the earlier one"
            )
        }
        items.append(item)
        return items
    }

    /// Adds remarks about columns that are preserved without effect, and about texts that refer to a field. Preserves
    /// the columns that the field type does not use.
    private mutating func noteUnused(_ row: REDCapRow, _ name: String) {
        if row[.identifier].lowercased() == "y" {
            remark(row, .identifier, "kept without effect")
        }
        for column in Self.unusedColumns(row[.type].lowercased()) where !["", "NA"].contains(row[column]) {
            preserve(name, column, row)
            remark(row, column, "kept without effect: a field of this type does not have it")
        }
        let hasChoices = Self.typesWithChoices.contains(row[.type].lowercased())
        let hasTexts = hasChoices || row[.type].lowercased() == "slider"
        let shown: [REDCapColumn] = [.section, .label] + (hasTexts ? [.choices] : []) + [.note]
        for column in shown where Self.isPiped(row[column], known) {
            remark(
                row, column, "a reference to a field in a text is shown as it is written, not as its answer")
        }
        if let matrix = row[.matrix].nonBlank, matrices.insert(matrix).inserted {
            remark(
                row, .matrix, "kept without effect: the fields of \(matrix.prefix(60)) are asked one by one")
        }
        if row[.ranking].lowercased() == "y" {
            remark(row, .ranking, "kept without effect: the same choice may be selected in several rows")
        }
    }

    /// Columns that have no effect for a field type. The choices of a text field can name an ontology in REDCap, but
    /// not in Saunter.
    private static func unusedColumns(_ type: String) -> [REDCapColumn] {
        switch type {
        case "text": [.choices]
        case "notes", "textarea", "yesno", "truefalse", "descriptive":
            [.choices, .validation, .minimum, .maximum]
        case let type where typesWithChoices.contains(type): [.minimum, .maximum]
        default: []
        }
    }

    /// Whether a text inserts the answer to a field (piping): `[name]`, `{name}`, `[name:label]` or `[name(2)]`, with
    /// or without an event before it.
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

    private mutating func readType(of item: inout Item, _ row: REDCapRow) {
        let type = row[.type].lowercased()
        switch type {
        case "text": readValidation(of: &item, row)
        case "notes", "textarea": item.type = .text
        case "yesno": item.type = .boolean
        case "truefalse":
            item.type = .boolean
            preserve(item.linkId, .type, row)
        case let type where Self.typesWithChoices.contains(type):
            readChoices(of: &item, row, type)
        case "slider":
            item.type = .integer
            item.itemControl = .slider
            item.minValue = readSliderEnd(row, .minimum) ?? 0
            item.maxValue = readSliderEnd(row, .maximum) ?? 100
            readSliderLabels(of: item, row)
            for column in [REDCapColumn.type, .validation, .minimum, .maximum] {
                preserve(item.linkId, column, row)
            }
        case "descriptive": (item.type, item.required) = (.display, false)
        case "calc", "file", "sql":
            (item.type, item.required) = (.display, false)
            item.hidden = type != "file"
            for column in [REDCapColumn.type, .choices, .validation, .required] {
                preserve(item.linkId, column, row)
            }
            // Preserved even if it is blank. Otherwise an export would write the tag @HIDDEN, which the source does
            // not have.
            let annotation = row.verbatim(.annotation) ?? ""
            preserved[item.linkId, default: JSONObject()][REDCapColumn.annotation.rawValue] = .string(
                annotation)
            remark(row, .type, "a field of the type \(type) is kept and not asked")
        default:
            preserve(item.linkId, .type, row)
            remark(row, .type, "the type \(type.prefix(40)) is imported as a text question")
        }
    }

    mutating func remark(_ row: REDCapRow, _ column: REDCapColumn, _ detail: String) {
        remarks.append(Remark(location: row.location(column), detail: detail))
    }

    private mutating func readValidation(of item: inout Item, _ row: REDCapRow) {
        let name = row[.validation].lowercased()
        switch name {
        case "": break
        case "integer", "int": item.type = .integer
        case "number", "float", "number_comma_decimal": item.type = .decimal
        case let name where name.hasPrefix("number_") && name.utf8.count > 8:
            item.type = .decimal
            item.maxDecimalPlaces = name.dropFirst(7).first.flatMap { Int(String($0)) }
        case let name where name.hasPrefix("datetime"):
            // REDCap dates with times have no time zone; those of Saunter have one.
            item.type = .dateTime
        case let name where name.hasPrefix("date"): item.type = .date
        case "time", "time_hh_mm_ss": item.type = .time
        case "autocomplete": item.itemControl = .autocomplete
        default: remark(row, .validation, "the validation \(name.prefix(40)) is kept without effect")
        }
        if name != item.type.definition.redcap(item).validation ?? "" {
            preserve(item.linkId, .validation, row)
        }
        item.minValue = readBound(of: item, row, .minimum)
        item.maxValue = readBound(of: item, row, .maximum)
    }

    private mutating func readBound(of item: Item, _ row: REDCapRow, _ column: REDCapColumn) -> Double? {
        let text = row[column]
        guard !text.isEmpty else { return nil }
        let bound =
            item.type.form == .number
            ? Double(text.replacing(",", with: ".")).flatMap { $0.isFinite ? $0 : nil }
            : item.answer(importing: text)?.storedNumber
        if bound.map({ JSONNumber($0).literal }) != text { preserve(item.linkId, column, row) }
        if bound == nil { remark(row, column, "the bound is kept without effect") }
        return bound
    }

    private mutating func readSliderEnd(_ row: REDCapRow, _ column: REDCapColumn) -> Double? {
        let text = row[column]
        guard !text.isEmpty else { return nil }
        guard let end = Double(text), end.isFinite else {
            remark(row, column, "the bound is kept without effect")
            return nil
        }
        return end
    }

    /// Reads the labels of a slider: left, middle and right, separated by `|`.
    private mutating func readSliderLabels(of item: Item, _ row: REDCapRow) {
        guard let cell = row[.choices].nonBlank else { return }
        let labels = cell.split(separator: "|", omittingEmptySubsequences: false)
            .map { String($0).trimmed.nonBlank }
        if labels.count == 3, let left = labels[0], let right = labels[2] {
            text.anchors[item.linkId] = ["minimum": left, "maximum": right]
            text.anchors[item.linkId]?["middle"] = labels[1]
        } else {
            remark(
                row, .choices,
                """
                the labels of the slider are kept without effect: three labels are needed, and the left and the \
                right one must not be blank
                """)
        }
        if text.anchors[item.linkId].map(REDCapVocabulary.sliderLabels) != row.verbatim(.choices) {
            preserve(item.linkId, .choices, row)
        }
    }

    private mutating func readBranchingLogic(_ item: inout Item, _ row: REDCapRow) {
        guard let source = row[.branching].nonBlank else { return }
        let translator = ExpressionTranslator(fields: fields, options: options, dialect: .redcap)
        do throws(TranslationError) {
            switch try translator.visibility(source) {
            case .conditions(let conditions, let behavior):
                (item.enableWhen, item.enableBehavior) = (conditions, behavior)
            case .expression(let expression): item.enableWhenExpression = expression
            }
        } catch {
            remark(row, .branching, "the item is always shown: \(error.detail)")
        }
        // The branching logic is preserved verbatim, because an export of the translation would have the same meaning
        // but another text.
        preserve(item.linkId, .branching, row)
    }
}

/// Reads fields with a list of choices.
extension REDCapFormReader {
    mutating func readChoices(of item: inout Item, _ row: REDCapRow, _ type: String) {
        (item.type, item.repeats) = (.choice, type == "checkbox")
        if type == "dropdown" || type == "select" {
            item.itemControl = row[.validation].lowercased() == "autocomplete" ? .autocomplete : .dropDown
        }
        preserve(item.linkId, .validation, row)
        let given = row[.choices].split(separator: "|").map { part -> (code: String, label: String) in
            let pieces = part.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            let code = String(pieces.first ?? "").trimmed
            return (code, pieces.count == 2 ? String(pieces[1]).trimmed : code)
        }.filter { !$0.code.isEmpty }
        if let reason = Self.rejectionReason(given.map(\.code)) {
            (item.type, item.repeats, item.itemControl) = (.string, false, nil)
            preserve(item.linkId, .type, row)
            preserve(item.linkId, .choices, row)
            remark(row, .choices, "\(reason): it is imported as a text question")
            return
        }
        let areNumbers = given.allSatisfy { choice in
            Int(choice.code).map {
                String($0) == choice.code && NegativeOptionCodes.range(of: item).contains($0)
            }
                == true
        }
        let negativeCodes = NegativeOptionCodes(areNumbers ? [] : given.map(\.code))
        if let detail = negativeCodes.remark { remark(row, .choices, detail) }
        var codes = NameGenerator(optionsOf: item)
        var isChanged = false
        for (code, label) in given {
            let value: OptionValue =
                areNumbers
                ? .integer(Int(code) ?? 0)
                : .code(codes.makeName(code, limit: item.repeats ? 14 : 24, letter: nil))
            isChanged = isChanged || value.text != code
            item.answerOption.append(ResponseOption(value: value, weight: negativeCodes.weights[code]))
            options[item.linkId, default: [:]][code] = value
            text.options[item.linkId, default: [:]][value.text] = label.nonBlank ?? code
        }
        if isChanged { preserve(item.linkId, .choices, row) }
    }

    /// Why choices with these codes cannot be options; nil if they can.
    private static func rejectionReason(_ codes: [String]) -> String? {
        if codes.isEmpty { return "the field has no choices" }
        if codes.count > Item.maximumOptions {
            return "the field has \(codes.count) choices, and an item has at most \(Item.maximumOptions)"
        }
        var seen: Set<String> = []
        return codes.first { !seen.insert($0).inserted }.map {
            "the code \($0.prefix(40)) occurs twice in the choices"
        }
    }
}

/// Reads the action tags of fields.
extension REDCapFormReader {
    mutating func readAnnotations(of item: inout Item, _ row: REDCapRow) {
        for tag in REDCapActionTag.all(in: row[.annotation]) {
            switch tag.name {
            case "@HIDDEN", "@HIDDEN-SURVEY": item.hidden = true
            case "@READONLY", "@READONLY-SURVEY": item.readOnly = true
            case "@NONEOFTHEABOVE": markExclusive(tag.value, of: &item, row)
            case "@DEFAULT":
                item.initial = initial(tag.value, of: item)
                if item.initial == nil { remark(row, .annotation, "@DEFAULT is kept without effect") }
            default: remark(row, .annotation, "\(tag.name.prefix(60)) is kept without effect")
            }
        }
    }

    /// Marks the options with these codes (separated by commas) as exclusive.
    private mutating func markExclusive(_ codes: String, of item: inout Item, _ row: REDCapRow) {
        for part in codes.split(separator: ",", omittingEmptySubsequences: false) {
            let code = String(part).trimmed
            let value = options[item.linkId]?[code]
            guard let index = item.answerOption.firstIndex(where: { $0.value == value }) else {
                remark(row, .annotation, "@NONEOFTHEABOVE: there is no choice \(code.prefix(40))")
                continue
            }
            item.answerOption[index].exclusive = true
        }
    }

    /// The initial value of `@DEFAULT`. A value from another field, `[name]`, is not supported.
    private func initial(_ value: String, of item: Item) -> Answer? {
        guard !value.contains("[") else { return nil }
        return switch item.type.form {
        case .truth, .number, .text: item.answer(importing: value)
        case .options where item.repeats: boxes(value, of: item)
        case .options: options[item.linkId]?[value].map { .option($0) }
        case .nothing, .moment, .ranking, .location: nil
        }
    }

    /// The boxes with these codes (separated by commas); nil if one of them does not exist.
    private func boxes(_ codes: String, of item: Item) -> Answer? {
        let given = codes.split(separator: ",", omittingEmptySubsequences: false)
        let values = given.compactMap { options[item.linkId]?[String($0).trimmed] }
        guard values.count == given.count else { return nil }
        return .options(item.answerOption.map(\.value).filter(values.contains))
    }
}
