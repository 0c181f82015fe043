import SaunterCore
import SaunterPacks

/// Writes a questionnaire as the files of an instrument.
struct PackWriter {
    let questionnaire: Questionnaire
    /// Key such as `x-fhir` -> preserved members of the questionnaire.
    var root: [String: JSON] = [:]
    /// linkId -> key -> preserved members of the item.
    var preserved: [String: [String: JSON]] = [:]

    /// - Parameter source: the text of `SOURCE.md`.
    func files(source: String) -> [String: String] {
        let folder = "instruments/\(questionnaire.code)/\(questionnaire.version)/"
        var files = [folder + PackPath.questionnaire: definition, folder + "SOURCE.md": source]
        if let key = questionnaire.scoring {
            files[folder + PackPath.scoring] = scoring(key)
            files[folder + PackPath.vectors] = ComputedVectors(questionnaire).csv
        }
        for language in questionnaire.languages {
            if let texts = questionnaire.text[language] {
                files[folder + "text.\(language).yaml"] = text(texts)
            }
        }
        return files
    }

    private var definition: String {
        var lines = [
            "code: \(YAMLText.word(questionnaire.code))", "version: \(questionnaire.version)",
            "languages: [\(questionnaire.languages.map(YAMLText.quoted).joined(separator: ", "))]",
            "minutes: \(JSON.double(questionnaire.minutes).text)",
        ]
        if let copyright = questionnaire.copyright {
            lines.append("copyright: \(YAMLText.quoted(copyright))")
        }
        if let license = questionnaire.license { lines.append("license: \(YAMLText.quoted(license))") }
        lines += Self.members(root)
        if !questionnaire.constraint.isEmpty {
            lines.append("constraint:")
            for constraint in questionnaire.constraint {
                var object: JSONObject = [
                    "key": .string(constraint.key), "severity": .string(constraint.severity.rawValue),
                    "expression": .string(constraint.expression),
                ]
                if let item = constraint.item { object["item"] = .string(item) }
                lines.append("  - \(YAMLText.flow(.object(object)))")
            }
        }
        lines.append("item:")
        for item in questionnaire.item { lines += self.lines(item).map { "  " + $0 } }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The scoring key, with those members of a scale that an import can set.
    private func scoring(_ key: ScoringKey) -> String {
        var lines = ["version: \(key.version)", "scales:"]
        for scale in key.scales {
            func list(_ names: [String]) -> JSON { .array(names.map(JSON.string)) }
            var object: JSONObject = [
                "id": .string(scale.id), "items": list(scale.items), "method": .string(scale.method.rawValue),
            ]
            if !scale.reverse.isEmpty { object["reverse"] = list(scale.reverse) }
            if !scale.weights.isEmpty {
                object["weights"] = .object(
                    JSONObject(
                        scale.weights.sorted { $0.key < $1.key }.map {
                            .init(name: $0.key, value: .double($0.value))
                        }))
            }
            switch scale.missing {
            case .partial(needed: .count(let count), remedy: .answered):
                object["missing"] = ["min_answered": .int(count), "then": "answered"]
            default: object["missing"] = "complete"
            }
            if scale.factor != 1 { object["factor"] = .double(scale.factor) }
            if scale.offset != 0 { object["offset"] = .double(scale.offset) }
            if let minimum = scale.minimum { object["minimum"] = .double(minimum) }
            if let maximum = scale.maximum { object["maximum"] = .double(maximum) }
            lines.append("  - \(YAMLText.flow(.object(object)))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func members(_ members: [String: JSON]) -> [String] {
        members.sorted { $0.key < $1.key }.map { "\($0.key): \(YAMLText.flow($0.value))" }
    }

    private func lines(_ item: Item) -> [String] {
        var lines = ["linkId: \(YAMLText.word(item.linkId))", "type: \(item.type.rawValue)"]
        func add(_ name: String, _ value: JSON?) {
            if let value { lines.append("\(name): \(YAMLText.flow(value))") }
        }
        for (name, flag) in [
            ("required", item.required), ("repeats", item.repeats), ("readOnly", item.readOnly),
            ("hidden", item.hidden), ("shuffle", item.shuffle),
        ] where flag { lines.append("\(name): true") }
        if !item.answerOption.isEmpty {
            lines.append("answerOption:")
            for option in item.answerOption { lines.append("  - \(YAMLText.flow(Self.json(option)))") }
        }
        add("minValue", item.minValue.map(item.boundJSON))
        add("maxValue", item.maxValue.map(item.boundJSON))
        add("minLength", item.minLength.map(JSON.int))
        add("maxLength", item.maxLength.map(JSON.int))
        add("regex", item.regex.map(JSON.string))
        add("minOccurs", item.minOccurs.map(JSON.int))
        add("maxOccurs", item.maxOccurs.map(JSON.int))
        add("maxDecimalPlaces", item.maxDecimalPlaces.map(JSON.int))
        add("decimals", item.decimals.map(JSON.int))
        add("data_kind", item.dataKind.map(JSON.string))
        add("step", item.step.map(JSON.double))
        add("unit", item.unit.map(JSON.string))
        if !item.unitOption.isEmpty { add("unitOption", .array(item.unitOption.map(JSON.string))) }
        add("media", item.media.map(Self.json))
        if let control = item.itemControl { lines.append("itemControl: \(control.rawValue)") }
        add("initial", item.initial?.json)
        if !item.enableWhen.isEmpty {
            lines.append("enableWhen:")
            for condition in item.enableWhen { lines.append("  - \(YAMLText.flow(Self.json(condition)))") }
            if item.enableBehavior == .any { lines.append("enableBehavior: any") }
        }
        add("enableWhenExpression", item.enableWhenExpression.map(JSON.string))
        lines += Self.members(preserved[item.linkId] ?? [:])
        if !item.item.isEmpty {
            lines.append("item:")
            for child in item.item { lines += self.lines(child).map { "  " + $0 } }
        }
        return lines.enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
    }

    private static func json(_ option: ResponseOption) -> JSON {
        var object: JSONObject = ["value": option.value.json]
        if let weight = option.weight { object["weight"] = .double(weight) }
        if option.exclusive { object["exclusive"] = true }
        if !option.enableWhen.isEmpty {
            object["enableWhen"] = .array(option.enableWhen.map(json))
            if option.enableBehavior == .any { object["enableBehavior"] = "any" }
        }
        if let media = option.media { object["media"] = json(media) }
        return object.count == 1 ? option.value.json : .object(object)
    }

    private static func json(_ media: Media) -> JSON {
        ["type": .string(media.kind.rawValue), "source": .string(media.source)]
    }

    private static func json(_ condition: Condition) -> JSON {
        [
            "question": .string(condition.question), "operator": .string(condition.comparison.rawValue),
            "answer": condition.answer.json,
        ]
    }

    private func text(_ texts: QuestionnaireText) -> String {
        var lines = ["title: \(YAMLText.quoted(texts.title))"]
        if let description = texts.description {
            lines.append("description: \(YAMLText.quoted(description))")
        }
        lines += Self.table("items", texts.items)
        for (name, tables) in [
            ("options", texts.options), ("bands", texts.bands), ("anchors", texts.anchors),
            ("option_media", texts.optionMedia),
        ] {
            let filled = tables.filter { !$0.value.isEmpty }
            guard !filled.isEmpty else { continue }
            lines.append("\(name):")
            for (key, labels) in filled.sorted(by: { $0.key < $1.key }) {
                lines += Self.table(key, labels).map { "  " + $0 }
            }
        }
        for (name, table) in [
            ("scales", texts.scales), ("constraints", texts.constraints), ("media", texts.media),
            ("help", texts.help), ("placeholders", texts.placeholders),
        ] where !table.isEmpty { lines += Self.table(name, table) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(_ name: String, _ texts: [String: String]) -> [String] {
        guard !texts.isEmpty else { return ["\(YAMLText.word(name)): {}"] }
        return ["\(YAMLText.word(name)):"]
            + texts.sorted { $0.key < $1.key }.map {
                "  \(YAMLText.quoted($0.key)): \(YAMLText.quoted($0.value))"
            }
    }
}
