import SaunterCore

/// Understands what it can of one questionnaire; what it does not is left for `FHIRKeeping`.
struct FHIRReading {
    private static let maximumItems = 2000
    private static let maximumDepth = 12

    let resource: JSON
    let code: String
    /// Pointer of the resource in the file.
    let place: String

    private(set) var names = FHIRNames()
    /// linkId -> the item as it was read.
    private(set) var sources: [String: JSONObject] = [:]
    private(set) var places: [String: String] = [:]
    /// linkId -> members and addresses of extensions that were understood.
    private(set) var understood: [String: Set<String>] = [:]
    private(set) var remarks: [Remark] = []
    /// Extensions of the whole that were understood.
    var understoodOfAll: [JSON] = []
    /// linkId there -> linkId here.
    private(set) var linkIds: [String: String] = [:]
    /// linkId -> its options here.
    private(set) var optionCodes: [String: Set<String>] = [:]
    private var maker = NameMaker()
    /// linkId -> of each of its options the place in the list there.
    private(set) var optionPlaces: [String: [Int]] = [:]
    /// Language -> words.
    var text: [String: QuestionnaireText] = [:]
    private(set) var language = "en"
    private var types: [String: ItemType] = [:]

    init(resource: JSON, code: String, place: String) {
        self.resource = resource
        self.code = code
        self.place = place
    }

    mutating func draft() throws(ImportRefusal) -> Draft {
        guard let items = resource["item"]?.array, !items.isEmpty else {
            throw ImportRefusal(place: "\(place)/item", detail: "there are no items")
        }
        language = resource["language"]?.string.flatMap(Self.language) ?? "en"
        let title =
            resource["title"]?.string?.nonBlank ?? resource["name"]?.string?.nonBlank ?? code
        let description = resource["description"]?.string?.nonBlank
        text[language] = QuestionnaireText(title: title, description: description, items: [:], options: [:])
        var read = try self.items(items, "\(place)/item", depth: 1)
        connect(&read)
        readExpressions(&read)
        readTitles()
        var languages = [language]
        for other in text.keys.sorted() where other != language {
            languages.append(other)
            text[other]?.description = description
        }
        let rules = constraints + targetConstraints(read)
        for (rule, words) in rules {
            for language in languages { text[language]?.constraints[rule.key] = words }
        }
        let questionnaire = Questionnaire(
            code: code, version: Self.version(resource["version"]?.string), item: read, text: text,
            languages: languages, copyright: resource["copyright"]?.string?.nonBlank,
            constraint: rules.map(\.rule))
        return Draft(questionnaire: questionnaire, places: places, place: place, remarks: remarks)
    }

    // MARK: Items

    private mutating func items(
        _ list: [JSON], _ pointer: String, depth: Int, under parent: String? = nil
    ) throws(ImportRefusal) -> [Item] {
        guard depth <= Self.maximumDepth else {
            throw ImportRefusal(place: pointer, detail: "items nest deeper than \(Self.maximumDepth) levels")
        }
        var items: [Item] = []
        for (index, element) in list.enumerated() {
            let here = "\(pointer)/\(index)"
            guard let object = element.object else {
                throw ImportRefusal(place: here, detail: "an item must be an object")
            }
            guard sources.count < Self.maximumItems else {
                throw ImportRefusal(place: here, detail: "more than \(Self.maximumItems) items")
            }
            guard let linkId = object["linkId"]?.string, let type = object["type"]?.string else {
                throw ImportRefusal(place: here, detail: "an item needs linkId and type")
            }
            var item = self.item(object, linkId, type, here)
            if let parent { names.under[item.linkId] = parent }
            let children = object["item"]?.array ?? []
            if item.type == .group {
                item.item = try self.items(children, "\(here)/item", depth: depth + 1)
                items.append(item)
            } else {
                items.append(item)
                if !children.isEmpty {
                    note(
                        here, "what stands under a question is asked after it, whatever was answered",
                        only: item)
                    items += try self.items(
                        children, "\(here)/item", depth: depth + 1, under: item.linkId)
                }
            }
        }
        return items
    }

    /// Displayed texts under a question are only shown after it, which is no loss.
    private mutating func note(_ place: String, _ detail: String, only item: Item) {
        let children = sources[item.linkId]?["item"]?.array ?? []
        if children.contains(where: { $0["type"] != "display" }) {
            remarks.append(Remark(place: place, detail: detail))
        }
    }

    private mutating func item(
        _ object: JSONObject, _ linkId: String, _ type: String, _ pointer: String
    ) -> Item {
        let repeats = object["repeats"]?.bool == true
        let name = maker.take(linkId, limit: repeats ? 16 : 24)
        names.linkIds[name] = linkId
        if linkIds[linkId] == nil { linkIds[linkId] = name }
        (sources[name], places[name]) = (object, pointer)
        var item = Item(linkId: name, type: .string)
        item.required = object["required"]?.bool ?? false
        item.repeats = repeats
        item.readOnly = object["readOnly"]?.bool ?? false
        understand(["linkId", "type", "text", "required", "repeats", "readOnly"], of: name)
        words(object, of: item, pointer)
        switch type {
        case "group", "display", "boolean", "integer", "decimal", "string", "text", "date", "dateTime",
            "time",
            "quantity":
            item.type = ItemType(rawValue: type) ?? .string
        case "choice", "open-choice":
            item.type = type == "choice" ? .choice : .openChoice
            options(of: &item, object, pointer)
        case "url": remarks.append(Remark(place: pointer, detail: "an address is asked as a text"))
        default:
            item.type = .display
            item.repeats = false
            item.required = false
            remarks.append(
                Remark(place: pointer, detail: "an item of type \(type.prefix(40)) is shown, not asked"))
        }
        if item.type == .display { (item.repeats, item.required) = (false, false) }
        if let most = object["maxLength"]?.int {
            if item.type == .string || item.type == .text || item.type == .openChoice {
                item.maxLength = most
                understand(["maxLength"], of: name)
            }
        }
        understand(Self.rules(of: &item, object), of: name)
        tellBounds(of: item, object, pointer)
        types[name] = item.type
        return item
    }

    mutating func remark(_ remark: Remark) { remarks.append(remark) }

    mutating func understand(_ members: Set<String>, of name: String) {
        understood[name, default: []].formUnion(members)
    }

    private mutating func words(_ object: JSONObject, of item: Item, _ pointer: String) {
        let given = object["text"]?.string?.nonBlank
        if let given {
            text[language]?.items[item.linkId] = given
        } else if object["type"] != "group" {
            let code = object["code"]?.array?.first?["display"]?.string?.nonBlank
            text[language]?.items[item.linkId] =
                code ?? object["prefix"]?.string?.nonBlank ?? object["linkId"]?.string?.nonBlank
                ?? item.linkId
        }
        for (other, words) in Self.translations(object["_text"]) where other != language {
            add(language: other)
            text[other]?.items[item.linkId] = words
        }
    }

    private mutating func add(language other: String) {
        if text[other] == nil {
            text[other] = QuestionnaireText(
                title: text[language]?.title ?? code, items: [:], options: [:])
        }
    }

    // MARK: Options

    private mutating func options(of item: inout Item, _ object: JSONObject, _ pointer: String) {
        var given: [JSONObject] = []
        if let list = object["answerOption"]?.array {
            given = list.compactMap(\.object)
            understand(["answerOption"], of: item.linkId)
        } else if let set = object["answerValueSet"]?.string {
            let found = FHIRValueSets(resource).options(set)
            given = found.options
            // Several items may have one set.
            for unread in found.unread {
                let told = Remark(place: place + unread.place, detail: unread.detail)
                if !remarks.contains(told) { remarks.append(told) }
            }
            if !given.isEmpty { understand(["answerValueSet"], of: item.linkId) }
        }
        guard !given.isEmpty, given.count <= Item.maximumOptions else {
            item.type = .string
            item.repeats = false
            let reason =
                given.isEmpty
                ? "its options are not in the file"
                : "it has \(given.count) options, and an item has at most \(Item.maximumOptions)"
            remarks.append(Remark(place: pointer, detail: "\(reason): it is asked as a text"))
            return
        }
        var maker = NameMaker(optionsOf: item)
        let areRanked = Self.isRanking(object)
        let range = SignedCodes.range(areNamed: item.repeats || areRanked)
        let areNumbers =
            given.allSatisfy { $0["valueInteger"]?.int.map { range.contains($0) } == true }
            && Set(given.compactMap { $0["valueInteger"]?.int }).count == given.count
        let signed = SignedCodes(areNumbers ? [] : given.map { Self.code(of: $0) }, areRanked: areRanked)
        if let detail = signed.remark { remarks.append(Remark(place: pointer, detail: detail)) }
        var chosen: [OptionValue] = []
        for (place, option) in given.enumerated() {
            guard
                let (value, label) = self.value(
                    of: option, areNumbers: areNumbers, repeats: item.repeats, item.linkId, &maker)
            else { continue }
            var read = ResponseOption(value: value)
            let extensions =
                (option["extension"]?.array ?? [])
                + (option["valueCoding"]?["extension"]?.array ?? [])
            read.weight =
                extensions.lazy.compactMap(Self.weight).first ?? signed.weights[Self.code(of: option)]
            read.exclusive = extensions.contains {
                $0["url"]?.string?.hasSuffix("/questionnaire-optionExclusive") == true
                    && $0["valueBoolean"] == true
            }
            if option["initialSelected"]?.bool == true { chosen.append(value) }
            item.answerOption.append(read)
            optionPlaces[item.linkId, default: []].append(place)
            optionCodes[item.linkId, default: []].insert(value.text)
            text[language]?.options[item.linkId, default: [:]][value.text] = label
            for (other, words) in Self.translations(option["valueCoding"]?["_display"])
            where other != language {
                add(language: other)
                text[other]?.options[item.linkId, default: [:]][value.text] = words
            }
        }
        if item.repeats, !chosen.isEmpty { item.initial = .options(chosen) }
        if !item.repeats, let first = chosen.first { item.initial = .option(first) }
    }

    /// ordinalValue, or itemWeight in its place.
    static func weight(_ element: JSON) -> Double? {
        let name = element["url"]?.string?.split(separator: "/").last
        guard name == "ordinalValue" || name == "itemWeight" || name == "questionnaire-ordinalValue" else {
            return nil
        }
        return element["valueDecimal"]?.double
    }

    private mutating func value(
        of option: JSONObject, areNumbers: Bool, repeats: Bool, _ linkId: String, _ maker: inout NameMaker
    ) -> (OptionValue, label: String)? {
        guard let member = option.first(where: { $0.name.hasPrefix("value") && !$0.name.hasPrefix("_") })
        else {
            return nil
        }
        let own = (option["extension"]?.array ?? []).first { $0["url"]?.string == Self.labelAddress }
        let ownLabel = own?["valueString"]?.string?.nonBlank
        if areNumbers, let number = member.value.int {
            return (.integer(number), ownLabel ?? String(number))
        }
        var (wanted, label) = (member.value.string ?? member.value.text, member.value.string?.nonBlank)
        if member.name == "valueInteger" { label = ownLabel ?? member.value.text }
        var there = JSONObject([member])
        if member.name == "valueCoding", let coding = member.value.object {
            wanted = coding["code"]?.string ?? coding["display"]?.string ?? "option"
            label = coding["display"]?.string?.nonBlank ?? coding["code"]?.string?.nonBlank
            var plain = JSONObject()
            for name in ["system", "version", "code"] { plain[name] = coding[name] }
            there = ["valueCoding": .object(plain)]
        } else if let number = member.value["value"]?.double {
            wanted = "v\(JSONNumber(number).literal)"
            label = [JSONNumber(number).literal, member.value["unit"]?.string].compactMap(\.self)
                .joined(separator: " ")
        }
        let code = maker.take(wanted, limit: repeats ? 14 : 24, letter: nil)
        if there != ["valueCoding": ["code": .string(code)]] {
            names.codings[linkId, default: [:]][code] = there
        }
        return (.code(code), label ?? code)
    }

    // MARK: What refers to other items

    private mutating func connect(_ items: inout [Item]) {
        for index in items.indices {
            if let source = sources[items[index].linkId] {
                conditions(of: &items[index], source)
                conditions(ofOptionsOf: &items[index], source)
                if items[index].initial == nil { initial(of: &items[index], source) }
            }
            connect(&items[index].item)
        }
    }

    private mutating func initial(of item: inout Item, _ source: JSONObject) {
        let given = source["initial"]?.array ?? []
        guard !given.isEmpty, item.type.isQuestion else { return }
        let answers = given.compactMap { element in
            element.object?.first { $0.name.hasPrefix("value") }.flatMap {
                answer($0, prefix: "value", to: item)
            }
        }
        guard answers.count == given.count, item.repeats || answers.count == 1 else { return }
        if item.type.hasOptions, item.repeats {
            let options = answers.flatMap(\.chosenOptions)
            guard options.count == answers.count else { return }
            item.initial = .options(item.answerOption.map(\.value).filter(options.contains))
        } else {
            item.initial = item.repeats ? .list(answers) : answers[0]
        }
        understand(["initial"], of: item.linkId)
    }

    private mutating func conditions(of item: inout Item, _ source: JSONObject) {
        let given = source["enableWhen"]?.array ?? []
        guard !given.isEmpty else { return }
        let conditions = given.compactMap { condition($0) }
        guard conditions.count == given.count else { return }
        item.enableWhen = conditions
        item.enableBehavior = source["enableBehavior"] == "any" ? .any : .all
        understand(["enableWhen", "enableBehavior"], of: item.linkId)
    }

    func condition(_ element: JSON) -> Condition? {
        guard let object = element.object, let question = object["question"]?.string.flatMap({ linkIds[$0] }),
            let comparison = object["operator"]?.string.flatMap({ Condition.Comparison(rawValue: $0) }),
            let member = object.first(where: { $0.name.hasPrefix("answer") }), let type = types[question]
        else { return nil }
        if comparison == .exists {
            return member.value.bool.map {
                Condition(question: question, comparison: .exists, answer: .boolean($0))
            }
        }
        var asked = Item(linkId: question, type: type)
        if let source = sources[question] { _ = Self.rules(of: &asked, source) }
        return answer(member, prefix: "answer", to: asked).map {
            Condition(question: question, comparison: comparison, answer: $0)
        }
    }

    /// A value of FHIR as an answer to an item; nil where it is none.
    private func answer(_ member: JSONObject.Member, prefix: String, to item: Item) -> Answer? {
        let value = member.value
        switch item.type {
        case .boolean: return value.bool.map { .boolean($0) }
        case .integer: return value.int.map { .integer($0) }
        case .decimal: return value.double.map { .decimal($0) }
        case .string, .text: return value.string?.nonBlank.map { .text($0) }
        case .date: return value.string.flatMap { LocalDate($0) }.map { .date($0) }
        case .time: return value.string.flatMap { LocalTime($0) }.map { .time($0) }
        case .dateTime: return value.string.flatMap { Instant($0) }.map { .dateTime($0) }
        case .quantity:
            guard let number = value["value"]?.double else { return nil }
            let unit = value["code"]?.string ?? value["unit"]?.string ?? item.unitOption.first
            return unit.map { .quantity(Measure(value: number, unit: $0)) }
        case .choice, .openChoice: return option(member, prefix: prefix, of: item.linkId).map { .option($0) }
        case .group, .display, .ranking: return nil
        }
    }

    private func option(_ member: JSONObject.Member, prefix: String, of linkId: String) -> OptionValue? {
        let kind = "value" + member.name.dropFirst(prefix.count)
        for (code, there) in (names.codings[linkId] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let own = there.members.first, own.name == kind else { continue }
            if kind == "valueCoding" {
                let (one, other) = (own.value, member.value)
                let isSystem =
                    one["system"] == nil || other["system"] == nil || one["system"] == other["system"]
                if one["code"] != nil, one["code"] == other["code"], isSystem { return .code(code) }
            } else if FHIRPatch.equal(own.value, member.value) {
                return .code(code)
            }
        }
        if kind == "valueInteger" { return member.value.int.map { .integer($0) } }
        // An option whose code is its value here, too, needs no entry; whether there is one is checked later.
        guard let code = member.value["code"]?.string, names.codings[linkId]?[code] == nil,
            NameMaker.plain(code, limit: 24, letter: nil) == code
        else { return nil }
        return .code(code)
    }
}
