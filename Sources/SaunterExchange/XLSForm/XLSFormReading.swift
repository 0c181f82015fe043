import SaunterCore

/// Reads one form.
struct XLSFormReading {
    /// The key of a pack under which a row is kept.
    static let key = "x-xlsform"
    private static let maximumDepth = 12

    let survey: XLSFormTable
    let choices: XLSFormTable?
    let settings: XLSFormTable?
    let name: String
    private let lists: XLSFormLists
    private(set) var languages: XLSFormLanguages
    private var maker = NameMaker()
    private var fields: [String: Item] = [:]
    private var options: [String: [String: OptionValue]] = [:]
    private var text: [String: QuestionnaireText] = [:]
    private var places: [String: String] = [:]
    private var kept: [String: JSONObject] = [:]
    private var rowOf: [String: Grid.Row] = [:]
    private var constraints: [Constraint] = []
    private var unasked: [JSON] = []
    /// linkIds of what stands in repeating groups.
    private var instances: Set<String> = []
    /// Names that rows have had.
    var names: Set<String> = []
    var remarks: [Remark] = []

    init(survey: XLSFormTable, choices: XLSFormTable?, settings: XLSFormTable?, name: String) {
        self.survey = survey
        self.choices = choices
        self.settings = settings
        self.name = name
        lists = XLSFormLists(choices)
        languages = XLSFormLanguages(
            survey, choices,
            main: settings.flatMap { table in table.rows.first.map { table.cell($0, "default_language") } }
                ?? "")
    }

    mutating func instrument() throws(ImportRefusal) -> ImportedInstrument {
        let setting = settings?.rows.first
        func settingText(_ column: String) -> String? {
            guard let settings, let setting else { return nil }
            return settings.cell(setting, column).nonBlank
        }
        let wanted = settingText("form_id") ?? name
        var codes = NameMaker()
        let code = codes.take(wanted)
        let title = settingText("form_title") ?? wanted
        for tag in languages.tags { text[tag] = QuestionnaireText(title: title, items: [:], options: [:]) }
        remarks += languages.remarks
        var rows = survey.rows
        var items = try level(&rows, depth: 1, ends: nil)
        noteUnusedOfChoices()
        instances = Self.repeated(items, within: false)
        logic(&items)
        var draft = Draft(
            questionnaire: Questionnaire(
                code: code, version: "1.0.0", item: items, text: text, languages: languages.tags,
                constraint: constraints),
            places: places, place: survey.grid.place(row: survey.header.number, column: nil), remarks: remarks
        )
        try draft.fit()
        var root = JSONObject()
        if let settings, let setting { root["settings"] = .object(settings.verbatim(setting)) }
        if !unasked.isEmpty { root["rows"] = .array(unasked) }
        return try draft.instrument(
            format: "an XLSForm", root: root.isEmpty ? [:] : [Self.key: .object(root)],
            kept: kept.mapValues { [Self.key: .object($0)] })
    }

    mutating func remark(_ row: Grid.Row, _ column: String, _ detail: String) {
        remarks.append(Remark(place: survey.place(row, column), detail: detail))
    }

    // MARK: Rows

    /// - Parameter ends: what must end this level; nil for the form itself.
    private mutating func level(
        _ rows: inout ArraySlice<Grid.Row>, depth: Int, ends: String?
    ) throws(ImportRefusal) -> [Item] {
        var items: [Item] = []
        while let row = rows.popFirst() {
            let type = XLSFormType(survey.cell(row, "type"))
            guard places.count < 2000 else {
                throw ImportRefusal(place: survey.place(row, "type"), detail: "more than 2000 questions")
            }
            switch type.word {
            case "": continue
            case "begin group", "begin repeat", "begin loop":
                guard depth < Self.maximumDepth else {
                    throw ImportRefusal(place: survey.place(row, "type"), detail: "groups nest too deeply")
                }
                var group = start(row, .group)
                group.repeats = type.word == "begin repeat"
                if survey.cell(row, "appearance").contains("table-list") { group.itemControl = .table }
                if type.word == "begin loop" { remark(row, "type", "the loop is asked once") }
                if survey.cell(row, "repeat_count").nonBlank != nil {
                    remark(row, "repeat_count", "kept without effect: participants say how often")
                }
                if fields[survey.cell(row, "name")] == nil { fields[survey.cell(row, "name")] = group }
                group.item = try level(&rows, depth: depth + 1, ends: String(type.word.dropFirst(6)))
                items.append(group)
            case "end group", "end repeat", "end loop":
                guard type.word.dropFirst(4) == ends ?? "" else {
                    throw ImportRefusal(
                        place: survey.place(row, "type"), detail: "this ends what was not begun")
                }
                return items
            default: if let item = question(row, type) { items.append(item) }
            }
        }
        guard ends == nil else {
            throw ImportRefusal(
                place: survey.grid.place(row: survey.rows.last?.number ?? 1, column: nil),
                detail: "a \(ends ?? "group") is not ended")
        }
        return items
    }

    private mutating func start(_ row: Grid.Row, _ type: ItemType) -> Item {
        let given = survey.cell(row, "name")
        let linkId = maker.take(given.isEmpty ? "row\(row.number)" : given, limit: type == .choice ? 16 : 24)
        var item = Item(linkId: linkId, type: type)
        places[linkId] = survey.place(row, "type")
        rowOf[linkId] = row
        kept[linkId] = survey.verbatim(row)
        for (tag, label) in languages.words(row, survey, "label") { text[tag]?.items[linkId] = label }
        if type != .group {
            for tag in languages.tags where text[tag]?.items[linkId] == nil {
                let first = languages.tags.lazy.compactMap { [text] in text[$0]?.items[linkId] }.first
                text[tag]?.items[linkId] = first ?? given.nonBlank ?? linkId
            }
        } else if languages.tags.contains(where: { text[$0]?.items[linkId] != nil }) {
            let first = languages.tags.lazy.compactMap { [text] in text[$0]?.items[linkId] }.first
            for tag in languages.tags where text[tag]?.items[linkId] == nil {
                text[tag]?.items[linkId] = first
            }
        }
        noteUnused(row, type)
        if type.isQuestion {
            item.required = Self.yes.contains(survey.cell(row, "required").lowercased())
            item.readOnly = Self.yes.contains(survey.cell(row, "read_only").lowercased())
        }
        return item
    }

    private mutating func question(_ row: Grid.Row, _ type: XLSFormType) -> Item? {
        var item: Item
        switch type.word {
        case "select one", "select multiple", "rank": return choice(row, type)
        case "range":
            let range = XLSFormRange(survey.cell(row, "parameters"))
            item = start(row, range.isWhole ? .integer : .decimal)
            item.itemControl = .slider
            (item.minValue, item.maxValue, item.step) = (range.start, range.end, range.step)
            for part in range.unused {
                remark(row, "parameters", "\(part.prefix(60)) is kept without effect")
            }
        case "acknowledge", "trigger":
            item = start(row, .boolean)
            remark(row, "type", "an acknowledgement is asked as yes or no")
        default:
            if let known = XLSFormType.plain[type.word] {
                item = start(row, known)
                if type.word == "text", survey.cell(row, "appearance").contains("multiline") {
                    item.type = .text
                }
            } else if XLSFormType.unasked.contains(type.word) {
                unasked.append(.object(survey.verbatim(row)))
                remark(row, "type", "\(type.word) is kept and not asked")
                return nil
            } else {
                item = start(row, .display)
                item.hidden = ["calculate", "hidden"].contains(type.word)
                remark(row, "type", "\(type.word.prefix(40)) is kept and not asked")
            }
        }
        defaults(of: &item, row)
        if fields[survey.cell(row, "name")] == nil { fields[survey.cell(row, "name")] = item }
        return item
    }

    private mutating func choice(_ row: Grid.Row, _ type: XLSFormType) -> Item {
        let given = lists[type.list]
        let isMany = type.word == "select multiple"
        var item = start(row, .choice)
        guard !given.isEmpty, given.count <= Item.maximumOptions else {
            item.type = .string
            let list = type.list.prefix(60)
            let reason =
                given.isEmpty
                ? "the options of \(list) are not in the file"
                : "the list \(list) has \(given.count) options, and an item has at most \(Item.maximumOptions)"
            remark(row, "type", "\(reason): it is asked as a text")
            if fields[survey.cell(row, "name")] == nil { fields[survey.cell(row, "name")] = item }
            return item
        }
        item.type = type.word == "rank" ? .ranking : type.hasOther ? .openChoice : .choice
        item.repeats = isMany
        let appearance = survey.cell(row, "appearance")
        if appearance.contains("minimal") { item.itemControl = .dropDown }
        if appearance.contains("autocomplete") { item.itemControl = .autocomplete }
        item.shuffle = survey.cell(row, "parameters").lowercased().contains("randomize=true")
        let areNumbers = given.allSatisfy { option in
            Int(option.name).map { String($0) == option.name && SignedCodes.range(of: item).contains($0) }
                == true
        }
        noteRepeated(given, row, type)
        let signed = SignedCodes(areNumbers ? [] : given.map(\.name), areRanked: item.type == .ranking)
        if let detail = signed.remark { remark(row, "type", detail) }
        var codes = NameMaker(optionsOf: item)
        for option in given where options[item.linkId]?[option.name] == nil {
            let value: OptionValue =
                areNumbers
                ? .integer(Int(option.name) ?? 0)
                : .code(
                    codes.take(option.name, limit: isMany || item.type == .ranking ? 14 : 24, letter: nil))
            item.answerOption.append(ResponseOption(value: value, weight: signed.weights[option.name]))
            options[item.linkId, default: [:]][option.name] = value
            let words = lists.words(option, languages)
            let first = languages.tags.lazy.compactMap { words[$0] }.first
            for tag in languages.tags {
                text[tag]?.options[item.linkId, default: [:]][value.text] = words[tag] ?? first ?? option.name
            }
        }
        let changed = (options[item.linkId] ?? [:]).filter { $0.value.text != $0.key }
        if !changed.isEmpty {
            kept[item.linkId, default: JSONObject()]["codings"] = .object(
                JSONObject(
                    changed.sorted { $0.key < $1.key }.map {
                        .init(name: $0.value.text, value: .string($0.key))
                    }))
        }
        defaults(of: &item, row)
        if fields[survey.cell(row, "name")] == nil { fields[survey.cell(row, "name")] = item }
        return item
    }

    private mutating func defaults(of item: inout Item, _ row: Grid.Row) {
        guard let given = survey.cell(row, "default").nonBlank else { return }
        switch item.type {
        case .integer: item.initial = Int(given).map { .integer($0) }
        case .decimal: item.initial = Double(given).flatMap { $0.isFinite ? .decimal($0) : nil }
        case .string, .text: item.initial = given.contains("${") || given.contains("(") ? nil : .text(given)
        case .date: item.initial = LocalDate(given).map { .date($0) }
        case .choice:
            let value = options[item.linkId]?[given]
            item.initial = value.map { item.repeats ? .options([$0]) : .option($0) }
        default: break
        }
        if item.initial == nil { remark(row, "default", "kept without effect") }
    }

    // MARK: Logic

    private mutating func logic(_ items: inout [Item]) {
        for index in items.indices {
            if let row = rowOf[items[index].linkId] {
                relevance(of: &items[index], row)
                constraint(on: items[index], row)
            }
            logic(&items[index].item)
        }
    }

    private mutating func relevance(of item: inout Item, _ row: Grid.Row) {
        guard let source = survey.cell(row, "relevant").nonBlank else { return }
        let translation = LogicTranslation(fields: fields, options: options, instances: instances)
        do throws(LogicFault) {
            switch try translation.rule(source) {
            case .conditions(let conditions, let behavior):
                (item.enableWhen, item.enableBehavior) = (conditions, behavior)
            case .expression(let expression): item.enableWhenExpression = expression
            }
        } catch {
            remark(row, "relevant", "it is always shown: \(error.detail)")
        }
    }

    private mutating func constraint(on item: Item, _ row: Grid.Row) {
        guard let source = survey.cell(row, "constraint").nonBlank, item.type.isQuestion else { return }
        let translation = LogicTranslation(
            fields: fields, options: options, own: item, instances: instances)
        do throws(LogicFault) {
            let expression = try translation.constraint(source)
            guard constraints.count < Constraint.maximumNumber else {
                return remark(
                    row, "constraint",
                    "kept without effect: a questionnaire has at most \(Constraint.maximumNumber) rules")
            }
            constraints.append(
                Constraint(key: item.linkId, severity: .error, expression: expression, item: item.linkId))
            let messages = languages.words(row, survey, "constraint_message")
            for tag in languages.tags {
                text[tag]?.constraints[item.linkId] =
                    messages[tag] ?? messages.sorted { $0.key < $1.key }.first?.value ?? source
            }
        } catch {
            remark(row, "constraint", "it is not checked: \(error.detail)")
        }
    }
}
