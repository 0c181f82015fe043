import SaunterCore

/// The options of an item, as they are.
extension FHIRReading {
    mutating func options(of item: inout Item, _ object: JSONObject, _ pointer: String) {
        var given: [JSONObject] = []
        if let list = object["answerOption"]?.array {
            given = list.compactMap(\.object)
            understand(["answerOption"], of: item.linkId)
        } else if let set = object["answerValueSet"]?.string {
            let found = sets.options(set)
            given = found.options
            // Several items may have one set.
            for unread in found.unread where !remarks.contains(unread) { remark(unread) }
            if !given.isEmpty { understand(["answerValueSet"], of: item.linkId) }
        }
        guard !given.isEmpty, given.count <= Item.maximumOptions else {
            item.type = .string
            item.repeats = false
            let reason =
                given.isEmpty
                ? "its options are not in the file"
                : "it has \(given.count) options, and an item has at most \(Item.maximumOptions)"
            remark(Remark(place: pointer, detail: "\(reason): it is asked as a text"))
            return
        }
        var maker = NameMaker(optionsOf: item)
        let areRanked = Self.isRanking(object)
        let range = SignedCodes.range(areNamed: item.repeats || areRanked)
        let areNumbers =
            given.allSatisfy { $0["valueInteger"]?.int.map { range.contains($0) } == true }
            && Set(given.compactMap { $0["valueInteger"]?.int }).count == given.count
        let signed = SignedCodes(areNumbers ? [] : given.map { Self.code(of: $0) }, areRanked: areRanked)
        if let detail = signed.remark { remark(Remark(place: pointer, detail: detail)) }
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
            for (other, words) in Self.designations(option["valueCoding"]?["designation"])
            where other != language {
                designated.append((other, item.linkId, value.text, words))
            }
        }
        if item.repeats, !chosen.isEmpty { item.initial = .options(chosen) }
        if !item.repeats, let first = chosen.first {
            item.initial = .option(first)
            if chosen.count > 1 {
                remark(
                    Remark(
                        place: "\(pointer)/answerOption",
                        detail: "of \(chosen.count) options that are chosen at first only the first is"))
            }
        }
    }

    /// Language -> words, as a value set has them. Synonyms, definitions and the like are not shown.
    private static func designations(_ list: JSON?) -> [(String, String)] {
        (list?.array ?? []).compactMap { element in
            let use = element["use"]?["code"]?.string
            guard use == nil || use == "display" || use == "preferredForLanguage",
                let tag = element["language"]?.string.flatMap(language),
                let words = element["value"]?.string?.nonBlank
            else { return nil }
            return (tag, words)
        }
    }

    /// The words of options from value sets, in the languages that items have words in. Other languages stay aside: whoever
    /// chose one would read nothing else in it.
    mutating func readDesignations() {
        var left: [String] = []
        for (other, linkId, option, words) in designated {
            if text[other] == nil {
                if !left.contains(other) { left.append(other) }
            } else if text[other]?.options[linkId]?[option] == nil {
                text[other]?.options[linkId, default: [:]][option] = words
            }
        }
        for other in left {
            remark(
                Remark(
                    place: "\(place)/contained",
                    detail: "words of options are kept without effect, because no item is in \(other)"))
        }
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
}
