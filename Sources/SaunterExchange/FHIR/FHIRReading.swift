import SaunterCore

/// Understands what it can of one questionnaire; what it does not is left for `FHIRKeeping`.
struct FHIRReading {
    private static let maximumItems = 2000
    private static let maximumDepth = 12

    let resource: JSON
    let code: String
    /// Pointer of the resource in the file.
    let place: String
    let sets: FHIRValueSets

    var names = FHIRNames()
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
    var optionCodes: [String: Set<String>] = [:]
    private var maker = NameMaker()
    /// linkId -> of each of its options the place in the list there.
    var optionPlaces: [String: [Int]] = [:]
    /// What value sets call options in further languages.
    var designated: [(language: String, linkId: String, option: String, words: String)] = []
    /// Language -> words.
    var text: [String: QuestionnaireText] = [:]
    private(set) var language = "en"
    private(set) var types: [String: ItemType] = [:]

    /// - Parameter beside: what else is in the Bundle of the resource.
    init(resource: JSON, code: String, place: String, beside: [FHIRValueSets.Resource]) {
        self.resource = resource
        self.code = code
        self.place = place
        sets = FHIRValueSets(resource, at: place, beside: beside)
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
        readDesignations()
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
        if linkIds[linkId] == nil {
            linkIds[linkId] = name
        } else {
            remarks.append(
                Remark(
                    place: pointer,
                    detail: "an earlier item has this linkId: it is called \(name) here, "
                        + "and conditions mean the earlier one"))
        }
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

    mutating func add(language other: String) {
        if text[other] == nil {
            text[other] = QuestionnaireText(
                title: text[language]?.title ?? code, items: [:], options: [:])
        }
    }
}
