import SaunterCore

/// Reads the options of items.
extension FHIRQuestionnaireReader {
    /// Reads the options of an item. An item without usable options becomes a text question, with a remark.
    /// - Parameter pointer: the location of the item in the file, for remarks.
    mutating func readOptions(of item: inout Item, _ object: JSONObject, _ pointer: String) {
        let given = givenOptions(of: item, object)
        guard !given.isEmpty, given.count <= Item.maximumOptions else {
            return makeTextQuestion(of: &item, object, optionCount: given.count, pointer)
        }
        labelCount += given.reduce(0) { count, option in
            let coding = option["valueCoding"]
            return count + 1 + (coding?["designation"]?.array?.count ?? 0)
                + (coding?["extension"]?.array?.count ?? 0)
        }
        var nameGenerator = NameGenerator(optionsOf: item)
        let areRanked = Self.isRanking(object)
        let range = NegativeOptionCodes.range(isPartOfColumnName: item.repeats || areRanked)
        let numbers = given.compactMap(Self.number).filter(range.contains)
        let areNumbers = numbers.count == given.count && Set(numbers).count == given.count
        let negativeCodes = NegativeOptionCodes(
            areNumbers ? [] : given.map { Self.code(of: $0) }, areRanked: areRanked)
        if let detail = negativeCodes.remark { remark(Remark(location: pointer, detail: detail)) }
        if areNumbers { numberItems.insert(item.linkId) }
        var chosen: [OptionValue] = []
        for (index, option) in given.enumerated() {
            guard
                let (value, label) = readValue(
                    of: option, areNumbers: areNumbers, repeats: item.repeats, item.linkId, &nameGenerator)
            else {
                remark(
                    Remark(
                        location: "\(pointer)/answerOption/\(index)",
                        detail: "this option has no value, so it is not offered"))
                continue
            }
            item.answerOption.append(readOption(option, value, negativeCodes, item.linkId))
            if option["initialSelected"]?.bool == true { chosen.append(value) }
            optionIndices[item.linkId, default: []].append(index)
            optionCodes[item.linkId, default: []].insert(value.text)
            readLabels(of: option, value, label, item.linkId)
        }
        noteMissingLabels(given, pointer)
        setInitialOptions(chosen, of: &item, pointer)
    }

    /// The options of the item itself, or those of its value set.
    private mutating func givenOptions(of item: Item, _ object: JSONObject) -> [JSONObject] {
        var given: [JSONObject] = []
        if let list = object["answerOption"]?.array {
            given = list.compactMap(\.object)
            markImported(["answerOption"], of: item.linkId)
        } else if let set = object["answerValueSet"]?.string {
            let found = sets.options(set)
            given = found.options
            // References with different spellings can name the same value set.
            for new in found.remarks where setRemarks.insert(new).inserted { remark(new) }
            if !given.isEmpty { markImported(["answerValueSet"], of: item.linkId) }
        }
        return given
    }

    /// Makes a text question of a choice that has no options, or too many.
    private mutating func makeTextQuestion(
        of item: inout Item, _ object: JSONObject, optionCount: Int, _ pointer: String
    ) {
        item.type = .string
        item.repeats = false
        let set = object["answerValueSet"]?.string.map { " (\($0.prefix(200)))" } ?? ""
        let reason =
            optionCount == 0
            ? "the options of the item are not in the file\(set)"
            : "the item has \(optionCount) options, and an item has at most \(Item.maximumOptions)"
        lossReasons[item.linkId] = reason
        remark(Remark(location: pointer, detail: "\(reason): it is imported as a text question"))
    }

    /// Reads the weight, the exclusiveness and the media of an option.
    private mutating func readOption(
        _ option: JSONObject, _ value: OptionValue, _ negativeCodes: NegativeOptionCodes, _ linkId: String
    ) -> ResponseOption {
        var read = ResponseOption(value: value)
        let extensions =
            (option["extension"]?.array ?? []) + (option["valueCoding"]?["extension"]?.array ?? [])
        read.weight =
            extensions.lazy.compactMap(Self.weight).first ?? negativeCodes.weights[Self.code(of: option)]
        // The weight of a number is the number, unless another weight is given.
        if case .integer(let number) = value, option["valueCoding"] != nil, read.weight == Double(number) {
            read.weight = nil
        }
        read.exclusive = extensions.contains {
            $0["url"]?.string?.hasSuffix("/questionnaire-optionExclusive") == true
                && $0["valueBoolean"] == true
        }
        readMedia(of: &read, extensions, linkId)
        return read
    }

    /// Reads the label of an option in all languages.
    private mutating func readLabels(
        of option: JSONObject, _ value: OptionValue, _ label: String, _ linkId: String
    ) {
        text[language]?.options[linkId, default: [:]][value.text] = label
        for (other, translation) in Self.translations(option["valueCoding"]?["_display"])
        where other != language {
            add(language: other)
            text[other]?.options[linkId, default: [:]][value.text] = translation
        }
        for (other, translation) in Self.designations(option["valueCoding"]?["designation"])
        where other != language {
            designations.append((other, linkId, value.text, translation))
        }
    }

    /// Adds a remark if participants see codes instead of labels.
    private mutating func noteMissingLabels(_ given: [JSONObject], _ pointer: String) {
        let bare = given.filter { $0["valueCoding"]?.object.map { Self.label(of: $0) == nil } == true }
        if let first = bare.first {
            remark(
                Remark(
                    location: pointer,
                    detail:
                        "\(bare.count) options have no display text: participants see their codes, such as "
                        + Self.code(of: first).prefix(60)))
        }
    }

    /// Makes the selected options the initial answer. Only an item that repeats can have several.
    private mutating func setInitialOptions(
        _ chosen: [OptionValue], of item: inout Item, _ pointer: String
    ) {
        if item.repeats, !chosen.isEmpty { item.initial = .options(chosen) }
        if !item.repeats, let first = chosen.first {
            item.initial = .option(first)
            if chosen.count > 1 {
                remark(
                    Remark(
                        location: "\(pointer)/answerOption",
                        detail: "only the first of \(chosen.count) initially selected options is selected"))
            }
        }
    }

    /// The error for a questionnaire in which choices have lost their options; nil if there are none.
    func lostOptions(_ questionnaire: Questionnaire) -> ImportError? {
        let lost = questionnaire.item.withDescendants.filter { item in
            let type = sources[item.linkId]?["type"]?.string
            return !item.type.hasOptions && (type == "choice" || type == "open-choice")
        }
        guard let first = lost.first else { return nil }
        let reason = lossReasons[first.linkId] ?? "the options of the item have no usable values"
        let others = lost.count > 1 ? " (the first of \(lost.count) such questions)" : ""
        return ImportError(
            location: locations[first.linkId] ?? location,
            detail: "\(reason)\(others): add the options to the file, for example as a contained ValueSet, "
                + "or import with --allow-free-text as text questions without scores")
    }

    /// Language -> text of the designations of a value set. Synonyms, definitions and other uses are ignored.
    private static func designations(_ list: JSON?) -> [(String, String)] {
        (list?.array ?? []).compactMap { element in
            let use = element["use"]?["code"]?.string
            guard use == nil || use == "display" || use == "preferredForLanguage",
                let tag = element["language"]?.string.flatMap(language),
                let translation = element["value"]?.string?.nonBlank
            else { return nil }
            return (tag, translation)
        }
    }

    /// Adds the texts of options from value sets, in the languages in which items have texts. Other languages are
    /// ignored, because only the options would be translated.
    mutating func readDesignations() {
        var omittedLanguages: [String] = []
        for (other, linkId, option, translation) in designations {
            if text[other] == nil {
                if !omittedLanguages.contains(other) { omittedLanguages.append(other) }
            } else if text[other]?.options[linkId]?[option] == nil {
                text[other]?.options[linkId, default: [:]][option] = translation
            }
        }
        for other in omittedLanguages {
            remark(
                Remark(
                    location: "\(location)/contained",
                    detail: "texts of options are kept without effect, because no item has a text in \(other)"
                ))
        }
    }

    /// The last parts of the URLs of extensions for weights, in all versions of FHIR.
    private static let weightNames: Set<String> = [
        "ordinalValue", "itemWeight", "questionnaire-ordinalValue", "valueset-ordinalValue",
        "codesystem-ordinalValue", "iso21090-CO-value",
    ]

    /// The weight of an option: the extension ordinalValue, or itemWeight.
    static func weight(_ element: JSON) -> Double? {
        guard let name = element["url"]?.string?.split(separator: "/").last,
            weightNames.contains(String(name))
        else { return nil }
        return (element["valueDecimal"] ?? element["valueInteger"])?.double
    }

    private mutating func readValue(
        of option: JSONObject, areNumbers: Bool, repeats: Bool, _ linkId: String,
        _ nameGenerator: inout NameGenerator
    ) -> (OptionValue, label: String)? {
        guard let member = option.first(where: { $0.name.hasPrefix("value") && !$0.name.hasPrefix("_") })
        else {
            return nil
        }
        let labelExtension = (option["extension"]?.array ?? []).first { $0["url"]?.string == Self.labelURL }
        let ownLabel = labelExtension?["valueString"]?.string?.nonBlank
        if areNumbers, let number = Self.number(option) {
            var original = option
            for name in option.names where name != member.name { original[name] = nil }
            if let coding = member.value.object {
                original["valueCoding"] = .object(Self.identity(of: coding))
            }
            if ownLabel != nil || member.name == "valueCoding" {
                mapping.codings[linkId, default: [:]][String(number)] = original
            }
            let label = ownLabel ?? member.value.object.flatMap(Self.label)
            return (.integer(number), label ?? String(number))
        }
        var (wanted, label) = (member.value.string ?? member.value.text, member.value.string?.nonBlank)
        if member.name == "valueInteger" { label = ownLabel ?? member.value.text }
        var original = JSONObject([member])
        if member.name == "valueCoding", let coding = member.value.object {
            wanted = coding["code"]?.string ?? coding["display"]?.string ?? "option"
            label = Self.label(of: coding) ?? coding["code"]?.string?.nonBlank
            original = ["valueCoding": .object(Self.identity(of: coding))]
        } else if let number = member.value["value"]?.double {
            wanted = "v\(JSONNumber(number).literal)"
            label = [JSONNumber(number).literal, member.value["unit"]?.string].compactMap(\.self)
                .joined(separator: " ")
        }
        let code = nameGenerator.makeName(wanted, limit: repeats ? 14 : 24, letter: nil)
        if original != ["valueCoding": ["code": .string(code)]] {
            mapping.codings[linkId, default: [:]][code] = original
        }
        return (.code(code), label ?? code)
    }
}

/// Members of an option other than its value and its text.
extension FHIRQuestionnaireReader {
    /// The URL of the extension for the conditions of an option. Saunter's own export writes it and the next three,
    /// because FHIR R4 has no equivalent.
    static let conditionURL = "urn:saunter:option-enable-when"
    /// The URL of the extension for how the conditions of an option are combined.
    static let behaviorURL = "urn:saunter:option-enable-behavior"
    /// The URL of the extension for the label of an option that is a number.
    static let labelURL = "urn:saunter:option-label"
    /// The URL of the extension for the kind of an option's media.
    static let mediaKindURL = "urn:saunter:option-media-kind"

    /// The image, sound or film of an option, with the attachment that describes it. Nil without one, and if its kind
    /// is unknown.
    static func media(_ extensions: [JSON]) -> (media: Media, attachment: JSON)? {
        guard let attachment = extensions.first(where: isMedia)?["valueAttachment"],
            let source = attachment["url"]?.string
        else { return nil }
        let type = attachment["contentType"]?.string?.split(separator: "/").first.map { String($0) }
        let own = extensions.first { $0["url"]?.string == mediaKindURL }?["valueCode"]?.string
        guard let kind = (own ?? type).flatMap({ Media.Kind(rawValue: $0) }) else { return nil }
        return (Media(kind: kind, source: source), attachment)
    }

    /// Whether this is the extension of SDC for the media of an option.
    static func isMedia(_ element: JSON) -> Bool {
        element["url"]?.string?.hasSuffix("/sdc-questionnaire-itemAnswerMedia") == true
    }

    /// Reads the media of an option. Its alternative text is the title of the attachment, or else the label of the
    /// option.
    private mutating func readMedia(of option: inout ResponseOption, _ extensions: [JSON], _ linkId: String) {
        guard let (media, attachment) = Self.media(extensions) else { return }
        let name = option.value.text
        option.media = media
        text[language]?.optionMedia[linkId, default: [:]][name] = attachment["title"]?.string?.nonBlank
        for (other, translation) in Self.translations(attachment["_title"]) where other != language {
            add(language: other)
            text[other]?.optionMedia[linkId, default: [:]][name] = translation
        }
    }

    /// Whether Saunter's own export wrote this ranking as a choice.
    static func isRanking(_ object: JSONObject) -> Bool {
        (object["extension"]?.array ?? []).contains {
            $0["url"] == "urn:saunter:ranking" && $0["valueBoolean"] == true
        }
    }

    /// The value of an option of an item.
    func optionValue(_ text: String, of linkId: String) -> OptionValue {
        numberItems.contains(linkId) ? Int(text).map { .integer($0) } ?? .code(text) : .code(text)
    }

    /// The number of an option: an integer, or a number that Saunter's own export wrote as a coding.
    static func number(_ option: JSONObject) -> Int? {
        guard let coding = option["valueCoding"] else { return option["valueInteger"]?.int }
        return number(ofCoding: coding)
    }

    private static func number(ofCoding coding: JSON) -> Int? {
        guard coding["system"]?.string == FHIRSourceMapping.numberSystem, let code = coding["code"]?.string,
            let number = Int(code), String(number) == code
        else { return nil }
        return number
    }

    /// The display text of a coding, also if it is only in an extension.
    private static func label(of coding: JSONObject) -> String? {
        coding["display"]?.string?.nonBlank ?? FHIRRenderedText.find(coding["_display"]?["extension"])
            ?? translations(coding["_display"]).first?.1
    }

    /// The members that identify a coding.
    private static func identity(of coding: JSONObject) -> JSONObject {
        var identity = JSONObject()
        for name in ["system", "version", "code"] { identity[name] = coding[name] }
        return identity
    }

    /// The code of an option in the source; empty if it has no value.
    static func code(of option: JSONObject) -> String {
        guard let value = option.first(where: { $0.name.hasPrefix("value") })?.value else { return "" }
        if let number = value.int { return String(number) }
        return value.string ?? value["code"]?.string ?? ""
    }

    /// Reads the conditions under which options are offered, as Saunter's own export writes them. If one condition of
    /// an option cannot be read, all of them are ignored.
    mutating func readOptionConditions(of item: inout Item, _ source: JSONObject) {
        guard let list = source["answerOption"]?.array else { return }
        for (option, index) in zip(item.answerOption.indices, optionIndices[item.linkId] ?? [])
        where list.indices.contains(index) {
            let extensionsPointer = "\(locations[item.linkId] ?? location)/answerOption/\(index)/extension"
            var conditions: [Condition] = []
            var behavior = EnableBehavior.all
            var unreadableIndex: Int?
            for (position, element) in (list[index]["extension"]?.array ?? []).enumerated() {
                switch element["url"]?.string {
                case Self.conditionURL:
                    if let condition = try? optionCondition(element) {
                        conditions.append(condition)
                    } else {
                        unreadableIndex = unreadableIndex ?? position
                    }
                case Self.behaviorURL:
                    if let read = element["valueCode"]?.string.flatMap({ EnableBehavior(rawValue: $0) }) {
                        behavior = read
                    } else {
                        unreadableIndex = unreadableIndex ?? position
                    }
                default: break
                }
            }
            if let unreadableIndex {
                remark(
                    Remark(
                        location: "\(extensionsPointer)/\(unreadableIndex)",
                        detail: "this option is always offered: "
                            + "its conditions are kept without effect, because this cannot be read"))
            } else if !conditions.isEmpty {
                item.answerOption[option].enableWhen = conditions
                item.answerOption[option].enableBehavior = behavior
            }
        }
    }

    /// Reads a condition from an extension, whose value is the JSON of an `enableWhen` element.
    private func optionCondition(_ element: JSON) throws(TranslationError) -> Condition {
        guard let text = element["valueString"]?.string, let read = try? JSONReader.read(text) else {
            throw TranslationError(detail: "the condition is not JSON")
        }
        return try condition(read)
    }
}
