import SaunterCore

/// Reads one form into an instrument.
struct XLSFormReader {
    /// The key of the preserved rows in a pack.
    static let key = "x-xlsform"
    private static let maximumDepth = 12
    /// The number of labels of options in all languages. Each question repeats the labels of its list, so a small file
    /// could otherwise use all memory.
    private static let maximumLabels = 400_000

    let survey: XLSFormTable
    let choices: XLSFormTable?
    let settings: XLSFormTable?
    let name: String
    let lists: XLSFormLists
    private(set) var languages: XLSFormLanguages
    private var nameGenerator = NameGenerator()
    /// Name of the row in the form -> item.
    var fields: [String: Item] = [:]
    /// linkId -> name of the choice in the form -> its value in Saunter.
    var options: [String: [String: OptionValue]] = [:]
    /// Language -> texts of the questionnaire.
    var text: [String: QuestionnaireText] = [:]
    /// linkId -> location in the form, for remarks.
    private var locations: [String: String] = [:]
    /// linkId -> cells and codings that an export writes again.
    var preserved: [String: JSONObject] = [:]
    /// linkId -> row of the item.
    var rowOf: [String: Worksheet.Row] = [:]
    var constraints: [Constraint] = []
    private var notAsked: [JSON] = []
    /// linkIds of items in repeating groups.
    var repeatedLinkIds: Set<String> = []
    /// The names of the rows that were read so far.
    var names: Set<String> = []
    var remarks: [Remark] = []
    private var labelCount = 0

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

    /// Throws if the form has no valid questions, is too large, or has unbalanced groups.
    /// - Parameter versions: the code of an instrument -> the version that it gets in place of 1.0.0.
    mutating func readInstrument(_ versions: [String: String]) throws(ImportError) -> ImportedInstrument {
        let setting = settings?.rows.first
        func settingText(_ column: String) -> String? {
            guard let settings, let setting else { return nil }
            return settings.cell(setting, column).nonBlank
        }
        let requestedCode = settingText("form_id") ?? name
        var codes = NameGenerator()
        let code = codes.makeName(requestedCode)
        let title = settingText("form_title") ?? requestedCode
        for tag in languages.tags { text[tag] = QuestionnaireText(title: title, items: [:], options: [:]) }
        remarks += languages.remarks
        noteUnusedColumns()
        var rows = survey.rows
        var items = try readLevel(&rows, depth: 1, openGroup: nil)
        noteUnusedChoiceCells()
        repeatedLinkIds = Self.linkIdsInRepeatingGroups(items)
        readLogic(&items)
        var draft = QuestionnaireDraft(
            questionnaire: Questionnaire(
                code: code, version: versions[code] ?? "1.0.0", item: items, text: text,
                languages: languages.tags,
                constraint: constraints),
            locations: locations, location: survey.worksheet.location(row: survey.header.number, column: nil),
            remarks: remarks
        )
        try draft.removeInvalidProperties()
        var root = JSONObject()
        if let settings, let setting { root["settings"] = .object(settings.verbatim(setting)) }
        if !notAsked.isEmpty { root["rows"] = .array(notAsked) }
        return try draft.instrument(
            format: "an XLSForm", root: root.isEmpty ? [:] : [Self.key: .object(root)],
            preserved: preserved.mapValues { [Self.key: .object($0)] })
    }

    /// linkIds of the items in repeating groups.
    /// - Parameter isInGroup: whether the items are in a repeating group.
    private static func linkIdsInRepeatingGroups(_ items: [Item], isInGroup: Bool = false) -> Set<String> {
        items.reduce(into: Set<String>()) { found, item in
            if isInGroup { found.insert(item.linkId) }
            found.formUnion(
                linkIdsInRepeatingGroups(item.item, isInGroup: isInGroup || item.isRepeatingGroup))
        }
    }

    mutating func remark(_ row: Worksheet.Row, _ column: String, _ detail: String) {
        remarks.append(Remark(location: survey.location(row, column), detail: detail))
    }

    // MARK: Rows

    /// Reads the rows of one level.
    /// - Parameter openGroup: the kind of group that the rows belong to and that a row must end; nil for the form
    ///   itself.
    private mutating func readLevel(
        _ rows: inout ArraySlice<Worksheet.Row>, depth: Int, openGroup: String?
    ) throws(ImportError) -> [Item] {
        var items: [Item] = []
        while let row = rows.popFirst() {
            let type = XLSFormType(survey.cell(row, "type"))
            if isIgnored(row, type) {
                notAsked.append(.object(survey.verbatim(row)))
                continue
            }
            let isItem = !type.word.isEmpty && !type.word.hasPrefix("end ")
            guard !isItem || locations.count < Questionnaire.maximumItems else {
                throw ImportError(tooManyItemsIn: name, location: survey.location(row, "type"))
            }
            switch type.word {
            case "": continue
            case "begin group", "begin repeat", "begin loop":
                guard depth < Self.maximumDepth else {
                    throw ImportError(
                        location: survey.location(row, "type"), detail: "groups are nested too deeply")
                }
                var group = startItem(row, .group)
                group.repeats = type.word == "begin repeat"
                if survey.cell(row, "appearance").contains("table-list") { group.itemControl = .table }
                if type.word == "begin loop" {
                    remark(row, "type", "the questions of the loop are asked once")
                }
                if survey.cell(row, "repeat_count").nonBlank != nil {
                    remark(row, "repeat_count", "kept without effect: participants decide how often")
                }
                register(group, row)
                group.item = try readLevel(&rows, depth: depth + 1, openGroup: String(type.word.dropFirst(6)))
                items.append(group)
            case "end group", "end repeat", "end loop":
                guard type.word.dropFirst(4) == openGroup ?? "" else {
                    throw ImportError(
                        location: survey.location(row, "type"),
                        detail: "this row ends a group that has not begun")
                }
                return items
            default: if let item = readQuestion(row, type) { items.append(item) }
            }
            guard labelCount <= Self.maximumLabels else {
                throw ImportError(
                    location: survey.location(row, "type"),
                    detail:
                        "the options of \(name.prefix(60)) have more than \(Self.maximumLabels) labels in all languages"
                )
            }
        }
        guard openGroup == nil else {
            throw ImportError(
                location: survey.worksheet.location(row: survey.rows.last?.number ?? 1, column: nil),
                detail: "a \(openGroup ?? "group") has no end")
        }
        return items
    }

    mutating func startItem(_ row: Worksheet.Row, _ type: ItemType) -> Item {
        let given = survey.cell(row, "name")
        let linkId = nameGenerator.makeName(
            given.isEmpty ? "row\(row.number)" : given, limit: type == .choice ? 16 : 24)
        var item = Item(linkId: linkId, type: type)
        locations[linkId] = survey.location(row, "type")
        rowOf[linkId] = row
        preserved[linkId] = survey.verbatim(row)
        for (tag, label) in languages.texts(row, survey, "label") { text[tag]?.items[linkId] = label }
        // A language without a label gets that of the first language that has one. Only a group may have no label.
        let label = languages.tags.lazy.compactMap { [text] in text[$0]?.items[linkId] }.first
        if type != .group || label != nil {
            for tag in languages.tags where text[tag]?.items[linkId] == nil {
                text[tag]?.items[linkId] = label ?? given.nonBlank ?? linkId
            }
        }
        readHint(row, linkId)
        noteUnused(row, type)
        if type.isQuestion {
            item.required = Self.yes.contains(survey.cell(row, "required").lowercased())
            item.readOnly = Self.yes.contains(survey.cell(row, "read_only").lowercased())
        }
        return item
    }

    private mutating func readQuestion(_ row: Worksheet.Row, _ type: XLSFormType) -> Item? {
        var item: Item
        switch type.word {
        case "select one", "select multiple", "rank": return readChoice(row, type)
        case "range":
            let range = XLSFormRange(survey.cell(row, "parameters"))
            item = startItem(row, range.isWhole ? .integer : .decimal)
            item.itemControl = .slider
            (item.minValue, item.maxValue, item.step) = (range.start, range.end, range.step)
            readTickLabels(of: item, row, range)
            for part in range.unused {
                remark(row, "parameters", "\(part.prefix(60)) is kept without effect")
            }
        case "acknowledge", "trigger":
            item = startItem(row, .boolean)
            remark(row, "type", "an acknowledgement is asked as yes or no")
        default:
            if let known = XLSFormType.plain[type.word] {
                item = startItem(row, known)
                if type.word == "text", survey.cell(row, "appearance").contains("multiline") {
                    item.type = .text
                }
            } else if XLSFormType.notAsked.contains(type.word) {
                notAsked.append(.object(survey.verbatim(row)))
                remark(row, "type", "\(type.word) is kept and not asked")
                return nil
            } else {
                item = startItem(row, .display)
                item.hidden = ["calculate", "hidden"].contains(type.word)
                remark(row, "type", "\(type.word.prefix(40)) is kept and not asked")
            }
        }
        readDefault(of: &item, row)
        register(item, row)
        return item
    }

    /// Makes the item available to conditions under the name of its row. The first row with a name keeps it.
    private mutating func register(_ item: Item, _ row: Worksheet.Row) {
        let name = survey.cell(row, "name")
        if fields[name] == nil { fields[name] = item }
    }

    mutating func readDefault(of item: inout Item, _ row: Worksheet.Row) {
        guard let given = survey.cell(row, "default").nonBlank else { return }
        switch item.type.form {
        case .text where given.contains("${") || given.contains("("): break
        case .number, .text, .moment: item.initial = item.answer(importing: given)
        case .options where item.type.acceptsFreeText: break
        case .options where item.repeats:
            let names = given.split(whereSeparator: \.isWhitespace).map(String.init)
            let values = names.compactMap { options[item.linkId]?[$0] }
            guard values.count == names.count else { break }
            item.initial = .options(item.answerOption.map(\.value).filter(values.contains))
        case .options: item.initial = options[item.linkId]?[given].map { .option($0) }
        case .nothing, .truth, .ranking, .location: break
        }
        if item.initial == nil { remark(row, "default", "kept without effect") }
    }
}

/// Reads hints and the labels of ranges.
extension XLSFormReader {
    /// A hint becomes a help text. A language without a hint gets that of the first language that has one.
    private mutating func readHint(_ row: Worksheet.Row, _ linkId: String) {
        let hints = languages.texts(row, survey, "hint")
        guard let first = languages.tags.lazy.compactMap({ hints[$0] }).first else { return }
        for tag in languages.tags { text[tag]?.help[linkId] = hints[tag] ?? first }
    }

    /// The list that `tick_labelset` names becomes the end labels: those of the start, the middle and the end.
    private mutating func readTickLabels(of item: Item, _ row: Worksheet.Row, _ range: XLSFormRange) {
        guard let list = range.labelSet else { return }
        let values = ["minimum": range.start, "middle": (range.start + range.end) / 2, "maximum": range.end]
        let given = lists[list]
        let used = values.compactMapValues { value in given.first { Double($0.name) == value } }
        guard used["minimum"] != nil, used["maximum"] != nil else {
            return remark(
                row, "parameters",
                "the labels of \(list.prefix(60)) are kept without effect, because the start or the end has none"
            )
        }
        if given.count > used.count {
            remark(
                row, "parameters",
                "only the labels of the start, the middle and the end of \(list.prefix(60)) are used")
        }
        for (name, option) in used {
            let labels = lists.labels(of: option, languages)
            let first = languages.tags.lazy.compactMap { labels[$0] }.first ?? option.name
            for tag in languages.tags {
                text[tag]?.anchors[item.linkId, default: [:]][name] = labels[tag] ?? first
            }
        }
    }
}

/// Reads questions with a list of choices.
extension XLSFormReader {
    mutating func readChoice(_ row: Worksheet.Row, _ type: XLSFormType) -> Item {
        let given = lists[type.list]
        let isMany = type.word == "select multiple"
        var item = startItem(row, .choice)
        guard !given.isEmpty, given.count <= Item.maximumOptions else {
            item.type = .string
            let list = type.list.prefix(60)
            let reason =
                given.isEmpty
                ? "the options of \(list) are not in the file"
                : "the list \(list) has \(given.count) options, and an item has at most \(Item.maximumOptions)"
            remark(row, "type", "\(reason): it is imported as a text question")
            register(item, row)
            return item
        }
        item.type = type.word == "rank" ? .ranking : type.hasOther ? .openChoice : .choice
        item.repeats = isMany
        let appearance = survey.cell(row, "appearance")
        if appearance.contains("minimal") { item.itemControl = .dropDown }
        if appearance.contains("autocomplete") { item.itemControl = .autocomplete }
        item.shuffle = survey.cell(row, "parameters").lowercased().contains("randomize=true")
        let areNumbers = given.allSatisfy { option in
            Int(option.name).map {
                String($0) == option.name && NegativeOptionCodes.range(of: item).contains($0)
            }
                == true
        }
        noteRepeated(given, row, type)
        labelCount += given.count * languages.tags.count
        let negativeCodes = NegativeOptionCodes(
            areNumbers ? [] : given.map(\.name), areRanked: item.type.form == .ranking)
        if let detail = negativeCodes.remark { remark(row, "type", detail) }
        var codes = NameGenerator(optionsOf: item)
        for option in given where options[item.linkId]?[option.name] == nil {
            let value: OptionValue =
                areNumbers
                ? .integer(Int(option.name) ?? 0)
                : .code(
                    codes.makeName(option.name, limit: item.isByOption ? 14 : 24, letter: nil)
                )
            item.answerOption.append(ResponseOption(value: value, weight: negativeCodes.weights[option.name]))
            options[item.linkId, default: [:]][option.name] = value
            let labels = lists.labels(of: option, languages)
            let first = languages.tags.lazy.compactMap { labels[$0] }.first
            for tag in languages.tags {
                text[tag]?.options[item.linkId, default: [:]][value.text] =
                    labels[tag] ?? first ?? option.name
            }
        }
        let changed = (options[item.linkId] ?? [:]).filter { $0.value.text != $0.key }
        if !changed.isEmpty {
            preserved[item.linkId, default: JSONObject()]["codings"] = .object(
                JSONObject(
                    changed.sorted { $0.key < $1.key }.map {
                        .init(name: $0.value.text, value: .string($0.key))
                    }))
        }
        readDefault(of: &item, row)
        register(item, row)
        return item
    }
}

/// Reads the conditions of rows and the constraints of their answers.
extension XLSFormReader {
    mutating func readLogic(_ items: inout [Item]) {
        for index in items.indices {
            if let row = rowOf[items[index].linkId] {
                readRelevance(of: &items[index], row)
                readConstraint(on: items[index], row)
            }
            readLogic(&items[index].item)
        }
    }

    private mutating func readRelevance(of item: inout Item, _ row: Worksheet.Row) {
        guard let source = survey.cell(row, "relevant").nonBlank else { return }
        let translator = ExpressionTranslator(
            fields: fields, options: options, repeatedLinkIds: repeatedLinkIds)
        do throws(TranslationError) {
            switch try translator.visibility(source) {
            case .conditions(let conditions, let behavior):
                (item.enableWhen, item.enableBehavior) = (conditions, behavior)
            case .expression(let expression): item.enableWhenExpression = expression
            }
        } catch {
            remark(row, "relevant", "the item is always shown: \(error.detail)")
        }
    }

    private mutating func readConstraint(on item: Item, _ row: Worksheet.Row) {
        guard let source = survey.cell(row, "constraint").nonBlank, item.type.isQuestion else { return }
        let translator = ExpressionTranslator(
            fields: fields, options: options, currentItem: item, repeatedLinkIds: repeatedLinkIds)
        do throws(TranslationError) {
            let expression = try translator.constraint(source)
            guard constraints.count < Constraint.maximumNumber else {
                return remark(
                    row, "constraint",
                    "kept without effect: a questionnaire has at most \(Constraint.maximumNumber) constraints"
                )
            }
            constraints.append(
                Constraint(key: item.linkId, severity: .error, expression: expression, item: item.linkId))
            let messages = languages.texts(row, survey, "constraint_message")
            for tag in languages.tags {
                text[tag]?.constraints[item.linkId] =
                    messages[tag] ?? messages.sorted { $0.key < $1.key }.first?.value ?? source
            }
        } catch {
            remark(row, "constraint", "the answer is not checked: \(error.detail)")
        }
    }
}
