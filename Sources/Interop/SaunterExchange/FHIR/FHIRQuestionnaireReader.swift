import SaunterCore

/// Reads one FHIR Questionnaire into a draft. Parts that it cannot import are preserved by `FHIRPreservedParts`.
struct FHIRQuestionnaireReader {
    private static let maximumDepth = 12
    /// The number of options, with their extensions and their names in other languages. Many items can use the same
    /// value set, so a small file could otherwise use all memory.
    private static let maximumLabels = 400_000

    let resource: JSON
    let code: String
    /// JSON Pointer of the resource in the file.
    let location: String
    var sets: FHIRValueSets
    /// The remarks about value sets.
    var setRemarks: Set<Remark> = []
    var labelCount = 0

    var mapping = FHIRSourceMapping()
    /// linkId -> the item in the source.
    private(set) var sources: [String: JSONObject] = [:]
    /// linkId -> JSON Pointer of the item.
    private(set) var locations: [String: String] = [:]
    /// linkId -> names of members and URLs of extensions that were imported.
    private(set) var importedMembers: [String: Set<String>] = [:]
    private(set) var remarks: [Remark] = []
    /// Extensions of the questionnaire that were imported.
    var importedRootExtensions: [JSON] = []
    /// linkId in the source -> linkId in Saunter.
    private(set) var linkIds: [String: String] = [:]
    /// linkId -> codes of its options in Saunter.
    var optionCodes: [String: Set<String>] = [:]
    private var nameGenerator = NameGenerator()
    /// The linkIds of choices whose options are numbers.
    var numberItems: Set<String> = []
    /// linkId of a choice without usable options -> the reason.
    var lossReasons: [String: String] = [:]
    /// linkId -> for each of its options, the index in the source.
    var optionIndices: [String: [Int]] = [:]
    /// Texts of options in further languages, from value sets.
    var designations: [(language: String, linkId: String, option: String, translation: String)] = []
    /// Language -> texts.
    var text: [String: QuestionnaireText] = [:]
    /// The language of the resource.
    private(set) var language = "en"
    private(set) var types: [String: ItemType] = [:]

    /// - Parameter otherResources: the other resources of the Bundle.
    init(resource: JSON, code: String, location: String, otherResources: [FHIRValueSets.Resource]) {
        self.resource = resource
        self.code = code
        self.location = location
        sets = FHIRValueSets(resource, at: location, otherResources: otherResources)
    }

    mutating func readDraft() throws(ImportError) -> QuestionnaireDraft {
        guard let items = resource["item"]?.array, !items.isEmpty else {
            throw ImportError(location: "\(location)/item", detail: "there are no items")
        }
        language = resource["language"]?.string.flatMap(Self.language) ?? "en"
        let title =
            resource["title"]?.string?.nonBlank ?? resource["name"]?.string?.nonBlank ?? code
        let description = resource["description"]?.string?.nonBlank
        text[language] = QuestionnaireText(title: title, description: description, items: [:], options: [:])
        var read = try readItems(items, "\(location)/item", depth: 1)
        readReferences(&read)
        readExpressions(&read)
        let (scales, labels) = readScores(&read)
        readDesignations()
        readTitles()
        var languages = [language]
        for other in text.keys.sorted() where other != language {
            languages.append(other)
            let translations = Self.translations(resource["_description"])
            text[other]?.description = translations.first { $0.0 == other }?.1 ?? description
        }
        let rules = constraints + readPathConstraints(read)
        for (rule, message) in rules {
            for language in languages { text[language]?.constraints[rule.key] = message }
        }
        for language in languages { text[language]?.scales = labels }
        readTranslatedMessages()
        let questionnaire = Questionnaire(
            code: code, version: Self.version(resource["version"]?.string), item: read, text: text,
            languages: languages,
            scoring: scales.isEmpty ? nil : ScoringKey(version: "1.0.0", scales: scales),
            copyright: resource["copyright"]?.string?.nonBlank, constraint: rules.map(\.rule))
        return QuestionnaireDraft(
            questionnaire: questionnaire, locations: locations, location: location, remarks: remarks,
            isDisplayOnly: sources.values.allSatisfy { ["group", "display"].contains($0["type"]) })
    }

    // MARK: Items

    private mutating func readItems(
        _ list: [JSON], _ pointer: String, depth: Int, under parent: String? = nil
    ) throws(ImportError) -> [Item] {
        guard depth <= Self.maximumDepth else {
            throw ImportError(
                location: pointer, detail: "items are nested more than \(Self.maximumDepth) levels deep")
        }
        var items: [Item] = []
        for (index, element) in list.enumerated() {
            let itemPointer = "\(pointer)/\(index)"
            guard let object = element.object else {
                throw ImportError(location: itemPointer, detail: "an item must be an object")
            }
            guard sources.count < Questionnaire.maximumItems else {
                throw ImportError(tooManyItemsIn: code, location: itemPointer)
            }
            guard let linkId = object["linkId"]?.string, let type = object["type"]?.string else {
                throw ImportError(location: itemPointer, detail: "an item needs linkId and type")
            }
            var item = readItem(object, linkId, type, itemPointer)
            guard labelCount <= Self.maximumLabels else {
                throw ImportError(
                    location: itemPointer,
                    detail:
                        "the options of \(code) have more than \(Self.maximumLabels) labels in all languages")
            }
            if let parent { mapping.parentQuestions[item.linkId] = parent }
            let children = readSupplements(object["item"]?.array ?? [], of: item, linkId)
            if item.type == .group {
                item.item = try readItems(children, "\(itemPointer)/item", depth: depth + 1)
                items.append(item)
            } else {
                items.append(item)
                if !children.isEmpty {
                    noteChildren(
                        itemPointer,
                        "the children of a question are asked after it, regardless of its answer",
                        of: item)
                    items += try readItems(
                        children, "\(itemPointer)/item", depth: depth + 1, under: item.linkId)
                }
            }
        }
        return items
    }

    /// Adds a remark, unless all children of the question are display items, which lose nothing.
    private mutating func noteChildren(_ location: String, _ detail: String, of item: Item) {
        let children = sources[item.linkId]?["item"]?.array ?? []
        if children.contains(where: { $0["type"] != "display" }) {
            remarks.append(Remark(location: location, detail: detail))
        }
    }

    private mutating func readItem(
        _ object: JSONObject, _ linkId: String, _ type: String, _ pointer: String
    ) -> Item {
        let repeats = object["repeats"]?.bool == true
        let name = nameGenerator.makeName(linkId, limit: repeats ? 16 : 24)
        mapping.linkIds[name] = linkId
        if linkIds[linkId] == nil {
            linkIds[linkId] = name
        } else {
            remarks.append(
                Remark(
                    location: pointer,
                    detail: "an earlier item has the same linkId: this item is renamed to \(name), "
                        + "and conditions refer to the earlier item"))
        }
        (sources[name], locations[name]) = (object, pointer)
        var item = Item(linkId: name, type: .string)
        item.required = object["required"]?.bool ?? false
        item.repeats = repeats
        item.readOnly = object["readOnly"]?.bool ?? false
        markImported(["linkId", "type", "text", "required", "repeats", "readOnly"], of: name)
        readText(object, of: item, pointer)
        if let known = ItemType(rawValue: type), known.fhir == known {
            item.type = known
            if known.hasOptions { readOptions(of: &item, object, pointer) }
        } else if type == "url" {
            remarks.append(Remark(location: pointer, detail: "a URL is imported as a text question"))
        } else {
            item.type = .display
            remarks.append(
                Remark(location: pointer, detail: "an item of type \(type.prefix(40)) is shown, not asked"))
        }
        if item.type == .display { (item.repeats, item.required) = (false, false) }
        if let maximum = object["maxLength"]?.int, item.type.permits(.lengths) {
            item.maxLength = maximum
            markImported(["maxLength"], of: name)
        }
        markImported(Self.applyExtensions(to: &item, object), of: name)
        readPlaceholder(object, of: item)
        noteInexactBounds(of: item, object, pointer)
        types[name] = item.type
        return item
    }

    mutating func remark(_ remark: Remark) { remarks.append(remark) }

    mutating func markImported(_ members: Set<String>, of name: String) {
        importedMembers[name, default: []].formUnion(members)
    }

    private mutating func readText(_ object: JSONObject, of item: Item, _ pointer: String) {
        let translations = Self.translations(object["_text"])
        let rendered =
            FHIRRenderedText.find(object["_text"]?["extension"]) ?? FHIRRenderedText.find(object["extension"])
        if let given = object["text"]?.string?.nonBlank ?? rendered {
            text[language]?.items[item.linkId] = given
        } else if let (other, translation) = translations.first(where: { $0.0 == language })
            ?? translations.first
        {
            text[language]?.items[item.linkId] = translation
            if other != language {
                remark(
                    Remark(
                        location: pointer,
                        detail: "the item has no text in \(language), so its text in \(other) is used"))
            }
        } else if object["type"] != "group" {
            let display = object["code"]?.array?.first?["display"]?.string?.nonBlank
            let shown =
                display ?? object["prefix"]?.string?.nonBlank ?? object["linkId"]?.string?.nonBlank
                ?? item.linkId
            text[language]?.items[item.linkId] = shown
            remark(
                Remark(
                    location: pointer,
                    detail: "the item has no text: participants see \"\(shown.prefix(60))\"; "
                        + "write a text into text.\(language).yaml"))
        }
        for (other, translation) in translations where other != language {
            add(language: other)
            text[other]?.items[item.linkId] = translation
        }
    }

    /// Reads the extension entryFormat, which states what a client shows in an empty input field.
    private mutating func readPlaceholder(_ object: JSONObject, of item: Item) {
        let url = "\(FHIRItemWriter.extensionBaseURL)/entryFormat"
        guard item.type.hasPlaceholder,
            let element = object["extension"]?.array?.first(where: { $0["url"]?.string == url }),
            let placeholder = element["valueString"]?.string?.nonBlank
        else { return }
        text[language]?.placeholders[item.linkId] = placeholder
        for (other, translation) in Self.translations(element["_valueString"]) where other != language {
            add(language: other)
            text[other]?.placeholders[item.linkId] = translation
        }
        markImported([url], of: item.linkId)
    }

    /// Adds texts in a further language, if there are none yet.
    mutating func add(language other: String) {
        if text[other] == nil {
            text[other] = QuestionnaireText(
                title: text[language]?.title ?? code, items: [:], options: [:])
        }
    }
}

/// Reads the members of the questionnaire itself.
extension FHIRQuestionnaireReader {
    /// Constraints over several answers, as Saunter's own export writes them.
    var constraints: [(rule: Constraint, message: String)] {
        (resource["extension"]?.array ?? []).compactMap { element in
            guard element["url"] == "urn:saunter:constraint" else { return nil }
            let parts = element["extension"]?.array ?? []
            func part(_ name: String, _ member: String) -> String? {
                parts.first { $0["url"]?.string == name }?[member]?.string?.nonBlank
            }
            guard let key = part("key", "valueId"), let expression = part("expression", "valueString"),
                let severity = part("severity", "valueCode").flatMap({ Constraint.Severity(rawValue: $0) })
            else { return nil }
            let rule = Constraint(
                key: key.replacing("-", with: "_"), severity: severity, expression: expression,
                item: part("item", "valueString"))
            return (rule, part("human", "valueString") ?? key)
        }
    }

    /// Reads the messages of constraints and the labels of scores in further languages, as Saunter's own export writes
    /// them.
    private mutating func readTranslatedMessages() {
        for element in resource["extension"]?.array ?? [] {
            if let id = Self.scaleID(element) {
                for (other, label) in Self.translations(element["valueExpression"]?["_description"])
                where text[other]?.scales[id] != nil { text[other]?.scales[id] = label }
            }
            let parts = element["extension"]?.array ?? []
            let key = parts.first { $0["url"] == "key" }?["valueId"]?.string?.replacing("-", with: "_")
            let human = parts.first { $0["url"] == "human" }
            guard element["url"] == "urn:saunter:constraint", let key else { continue }
            for (other, message) in Self.translations(human?["_valueString"])
            where text[other]?.constraints[key] != nil { text[other]?.constraints[key] = message }
        }
    }

    /// Reads the title in further languages. A language is ignored if only the title is translated into it.
    mutating func readTitles() {
        for (index, element) in (resource["_title"]?["extension"]?.array ?? []).enumerated() {
            let extensionPointer = "\(location)/_title/extension/\(index)"
            let alone: JSON = ["extension": .array([element])]
            if let (other, translation) = Self.translations(alone).first {
                if other == language { continue }
                if text[other] == nil {
                    remark(
                        Remark(
                            location: extensionPointer,
                            detail: "kept without effect, because only the title is in \(other)"))
                } else {
                    text[other]?.title = translation
                }
            } else {
                let url = element["url"]?.string ?? ""
                if url.hasSuffix("/translation") || !FHIRPreservedParts.isHarmless(url) {
                    remark(
                        Remark(
                            location: extensionPointer, detail: "\(url.prefix(200)) is kept without effect"))
                }
            }
        }
    }

    /// Pairs of language and text, from the translation extension.
    static func translations(_ element: JSON?) -> [(String, String)] {
        (element?["extension"]?.array ?? []).compactMap { entry in
            guard entry["url"]?.string == "\(FHIRItemWriter.extensionBaseURL)/translation" else { return nil }
            let parts = entry["extension"]?.array ?? []
            let tag = parts.first { $0["url"] == "lang" }?["valueCode"]?.string.flatMap(language)
            let content = parts.first { $0["url"] == "content" }
            let translation = content?["valueString"]?.string ?? content?["valueMarkdown"]?.string
            guard let tag, let translation = translation?.nonBlank else { return nil }
            return (tag, translation)
        }
    }

    static func language(_ tag: String) -> String? {
        let parts = tag.split(separator: "-")
        guard let first = parts.first, (2...3).contains(first.utf8.count),
            first.utf8.allSatisfy({ (97...122).contains($0) }), parts.count <= 3,
            parts.allSatisfy({ (2...8).contains($0.utf8.count) }),
            tag.utf8.allSatisfy({
                (97...122).contains($0 | 0x20) || (48...57).contains($0) || $0 == 45
            })
        else { return nil }
        return tag
    }

    /// A version of three numbers. Missing numbers are 0, so `1.2` becomes `1.2.0`. Any other text becomes `1.0.0`.
    static func version(_ text: String?) -> String {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.count <= 5 && part.utf8.allSatisfy({ (48...57).contains($0) }) ? Int(part) : nil
        }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return "1.0.0" }
        return (numbers + [0, 0]).prefix(3).map(String.init).joined(separator: ".")
    }
}
