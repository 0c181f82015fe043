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
    let lists: XLSFormLists
    private(set) var languages: XLSFormLanguages
    private var maker = NameMaker()
    var fields: [String: Item] = [:]
    var options: [String: [String: OptionValue]] = [:]
    var text: [String: QuestionnaireText] = [:]
    private var places: [String: String] = [:]
    var kept: [String: JSONObject] = [:]
    var rowOf: [String: Grid.Row] = [:]
    var constraints: [Constraint] = []
    private var unasked: [JSON] = []
    /// linkIds of what stands in repeating groups.
    var instances: Set<String> = []
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
        noteUnusedColumns()
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
            if isLeftOut(row, type) {
                unasked.append(.object(survey.verbatim(row)))
                continue
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

    mutating func start(_ row: Grid.Row, _ type: ItemType) -> Item {
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

    mutating func defaults(of item: inout Item, _ row: Grid.Row) {
        guard let given = survey.cell(row, "default").nonBlank else { return }
        switch item.type {
        case .integer: item.initial = Int(given).map { .integer($0) }
        case .decimal: item.initial = Double(given).flatMap { $0.isFinite ? .decimal($0) : nil }
        case .string, .text: item.initial = given.contains("${") || given.contains("(") ? nil : .text(given)
        case .date: item.initial = LocalDate(given).map { .date($0) }
        case .time: item.initial = LocalTime(given).map { .time($0) }
        case .choice where item.repeats:
            let names = given.split(whereSeparator: \.isWhitespace).map(String.init)
            let values = names.compactMap { options[item.linkId]?[$0] }
            guard values.count == names.count else { break }
            item.initial = .options(item.answerOption.map(\.value).filter(values.contains))
        case .choice: item.initial = options[item.linkId]?[given].map { .option($0) }
        default: break
        }
        if item.initial == nil { remark(row, "default", "kept without effect") }
    }
}
