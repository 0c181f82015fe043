import SaunterCore
import SaunterServer

/// The items of a questionnaire as the template of the question document shows them.
struct QuestionModel {
    let words: Words.Language
    /// The answers so far, linkId -> value.
    let answers: JSONObject
    /// linkId -> reason.
    let reasons: JSONObject
    let state: FormState
    /// Pointer below `/answers`, such as `/mood` -> sentence.
    let faults: [String: String]
    /// The codes of the data kinds that the participant permits.
    let permittedKinds: Set<String>
    /// The zone of dates with a time of day.
    let zone: Zone
    /// Dates of another year are written with the year.
    let now: Instant
    /// The address of a picture; nil if the pack does not contain it.
    var mediaAddress: @Sendable (_ source: String) -> String? = { _ in nil }
    /// The repeating group for which the participant asked for another instance.
    var grownGroup: String?

    /// One dictionary for each item.
    func items(_ items: [JSON]) -> [[String: Any]] {
        items.compactMap { item in
            item["hidden"]?.bool == true
                ? nil : model(of: item, prefix: "", pointer: "", given: answers, level: 2)
        }
    }

    /// Whether the controls of an item have styles that are not on every page: tables, repeating groups, rankings,
    /// comparisons, units, and dates with a time.
    static func needsRareStyles(_ item: JSON) -> Bool {
        let type = item.itemType
        let isRare = type.form == .ranking || type.hasUnits || type.definition.column == .instant
        let hasRareControl = ["table", "pairwise"].contains(item["itemControl"]?.string ?? "")
        let isRepeatingGroup = type == .group && item["repeats"]?.bool == true
        return isRare || hasRareControl || isRepeatingGroup
            || (item["item"]?.array ?? []).contains(where: needsRareStyles)
    }

    /// A template looks for a key that is absent in the model of the enclosing group. So every key is present.
    private static let absentSections = [
        "is_display", "is_group", "is_repeating", "is_radio", "is_checks", "is_row", "is_slider", "is_area",
        "is_list", "is_number", "is_measure", "is_input", "is_date_time", "is_ranking", "is_location",
        "table",
        "group_title", "help", "fault", "media", "fixed", "other", "compared", "unit", "units", "several",
        "negative", "maximum", "minimum", "longest", "limits", "least_label", "middle_label", "most_label",
        "items", "instances", "options", "blank",
    ]
    private static let absentTexts = ["value", "placeholder", "date", "time"]

    /// - Parameters:
    ///   - prefix: the repeating group and the number of the instance, such as `meals.1.`; empty outside of one.
    ///   - pointer: the pointer to the object that has the answer.
    ///   - given: the answers of that object.
    ///   - level: the level of the heading.
    private func model(
        of item: JSON, prefix: String, pointer: String, given: JSONObject, level: Int
    ) -> [String: Any] {
        let linkId = item["linkId"]?.string ?? ""
        let type = item.itemType
        let name = AnswerFields.name(prefix, linkId)
        let id = "q-\(prefix)\(linkId)".replacing(".", with: "-")
        let fault = faults["\(pointer)/\(linkId)"]
        let isOptional = !(item["required"]?.bool ?? false)
        var model: [String: Any] = [:]
        for name in Self.absentSections { model[name] = false }
        for name in Self.absentTexts { model[name] = "" }
        let own: [String: Any] = [
            "link_id": linkId, "id": id, "name": name, "text": item["text"]?.string ?? "", "level": level,
            "hidden": prefix.isEmpty && !state.shown.contains(linkId), "required": !isOptional,
            "type": type.rawValue,
            // The reasons of instances are not asked for, because an instance can be removed.
            "optional": isOptional && prefix.isEmpty, "shuffled": item["shuffle"]?.bool ?? false,
            "described": [
                item["help"]?.string == nil ? nil : "\(id)-help", fault == nil ? nil : "\(id)-fault",
            ]
            .compactMap(\.self).joined(separator: " "),
        ]
        for (key, entry) in own { model[key] = entry }
        model.add("help", item["help"]?.string)
        model.add("group_title", item["text"]?.string)
        model.add("fault", fault)
        model.add("media", media(item["media"]))
        let value = given[linkId]
        model["has_reason"] = ["refused", "dont_know"].contains(reasons[linkId]?.string)
        model["reason_refused"] = reasons[linkId]?.string == "refused"
        model["reason_dont_know"] = reasons[linkId]?.string == "dont_know"
        if item["readOnly"]?.bool == true, type.isQuestion {
            let summary = AnswerSummary([], words: words, zone: zone, now: now)
            model["fixed"] = ["value": (value ?? item["initial"]).map { summary.text(of: $0, item) } ?? ""]
            return model
        }
        let details = control(
            item, type: type, name: name, id: id, value: value, pointer: pointer, level: level)
        for (key, entry) in details { model[key] = entry }
        return model
    }

    private func control(
        _ item: JSON, type: ItemType, name: String, id: String, value: JSON?, pointer: String, level: Int
    ) -> [String: Any] {
        switch type.form {
        case .nothing: return type == .group ? group(item, value, pointer, level) : ["is_display": true]
        case .options: return choice(item, name, id, value, isOpen: type.acceptsFreeText)
        case .truth:
            return [
                "is_radio": true,
                "options": [("true", words.text("answer", "yes")), ("false", words.text("answer", "no"))].map
                {
                    [
                        "value": $0.0, "label": $0.1, "name": name, "id": "\(id)-\($0.0)", "type": "radio",
                        "sent": $0.0, "hidden": false, "exclusive": false, "image": false,
                        "checked": value.map { $0 == .bool(true) ? "true" : "false" } == $0.0,
                    ] as [String: Any]
                },
            ]
        case .ranking: return ranking(item, name, id, value)
        case .location: return location(item, name, value)
        case .moment:
            // Several of them are written one per line.
            return item["repeats"]?.bool == true
                ? input(item, type, name, id, value) : dateOrTime(item, type, value)
        case .text where type == .text:
            return [
                "is_area": true, "value": Self.text(value), "placeholder": item["placeholder"]?.string ?? "",
                "maximum": item["maxLength"]?.int ?? type.definition.maximumLength,
            ]
        case .number, .text: return input(item, type, name, id, value)
        }
    }

    private func dateOrTime(_ item: JSON, _ type: ItemType, _ value: JSON?) -> [String: Any] {
        let isInstant = type.definition.column == .instant
        var model: [String: Any] = [isInstant ? "is_date_time" : "is_input": true]
        if isInstant {
            if let instant = value?.instant {
                let local = zone.local(of: instant)
                model["date"] = local.date.description
                model["time"] = String(local.time.description.prefix(5))
            } else {
                let parts = (value?.string ?? "").split(
                    separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
                model["date"] = parts.first.map(String.init)
                model["time"] = parts.dropFirst().first.map(String.init)
            }
        } else {
            model["input_type"] = type.rawValue
            model["value"] = Self.text(value)
            model["minimum"] = item["minValue"]?.string
            model["maximum"] = item["maxValue"]?.string
        }
        return model
    }

    private func location(_ item: JSON, _ name: String, _ value: JSON?) -> [String: Any] {
        let repeats = item["repeats"]?.bool ?? false
        let given = repeats ? value?.array ?? [] : value.map { [$0] } ?? []
        var model: [String: Any] = [
            "is_location": true,
            "permitted": item["data_kind"]?.string.map(permittedKinds.contains) ?? true,
            "locations": given.enumerated().map { number, location in
                [
                    "field": repeats ? "\(name)[\(number)]" : name, "lat": Self.text(location["lat"]),
                    "lon": Self.text(location["lon"]), "accuracy": Self.text(location["accuracy_m"]),
                ]
            },
        ]
        model["several"] = repeats ? item["maxOccurs"]?.int ?? 100 : nil
        return model
    }

    private func input(
        _ item: JSON, _ type: ItemType, _ name: String, _ id: String, _ value: JSON?
    ) -> [String: Any] {
        let isList = item["repeats"]?.bool ?? false
        if isList {
            let lines = (value?.array ?? []).map { Self.text($0) }.joined(separator: "\n")
            var model: [String: Any] = ["is_area": true, "is_list": true, "value": lines]
            model["placeholder"] = item["placeholder"]?.string ?? ""
            if item["itemControl"]?.string == "pairwise" {
                let words = value?["values"]?.array ?? value?.array ?? []
                model["value"] = words.map { Self.text($0) }.joined(separator: "\n")
                model["compared"] = ["comparisons": value?["comparisons"]?.text ?? ""]
            }
            return model
        }
        var model: [String: Any] = [
            "value": Self.text(value), "placeholder": item["placeholder"]?.string ?? "",
        ]
        model["unit"] = item["unit"]?.string.map { Self.unitName($0) }
        if type.hasUnits {
            model["value"] = Self.text(value?["value"])
            let units = units(of: item)
            if units.count == 1 { model["unit"] = Self.unitName(units[0]) }
            if units.count > 1 {
                model["units"] = units.map {
                    [
                        "unit": $0, "label": Self.unitName($0), "unit_name": "\(name).unit",
                        "selected": value?["unit"]?.string == $0,
                    ] as [String: Any]
                }
                model["has_units"] = true
            }
        }
        let control = item["itemControl"]?.string
        let isLine = control == "slider" || control == "visual-analogue-scale"
        if isLine, !type.hasUnits, let least = item["minValue"]?.double,
            let most = item["maxValue"]?.double
        {
            return line(item, model, name, id, least...max(least, most), value)
        }
        if type.form == .number {
            model[units(of: item).count > 1 ? "is_measure" : "is_number"] = true
            model["mode"] = type.definition.isWhole ? "numeric" : "decimal"
            // The keyboard for numbers of some phones has no minus sign.
            model["negative"] = (item["minValue"]?.double ?? -1) < 0
        } else {
            model["is_input"] = true
            model["input_type"] = "text"
            model["longest"] = item["maxLength"]?.int ?? type.definition.maximumLength
        }
        return model
    }

    private func units(of item: JSON) -> [String] {
        (item["unitOption"]?.array ?? []).compactMap(\.string)
    }

    /// A unit as people write it: UCUM writes pounds as `[lb_av]`.
    static func unitName(_ ucum: String) -> String {
        let names = [
            "[lb_av]": "lb", "[in_i]": "in", "[ft_i]": "ft", "[mi_i]": "mi", "Cel": "°C", "[degF]": "°F",
        ]
        return names[ucum] ?? ucum
    }

    /// A line with two ends: up to 11 whole values are a row of radio buttons, everything else is a slider.
    private func line(
        _ item: JSON, _ base: [String: Any], _ name: String, _ id: String, _ range: ClosedRange<Double>,
        _ value: JSON?
    ) -> [String: Any] {
        var model = base
        let (least, most) = (range.lowerBound, range.upperBound)
        model["least_label"] = item["anchors"]?["minimum"]?.string
        model["middle_label"] = item["anchors"]?["middle"]?.string
        model["most_label"] = item["anchors"]?["maximum"]?.string
        let step = item["step"]?.double ?? 1
        if item["itemControl"]?.string == "slider", step == 1, most - least <= 10,
            item.itemType.definition.isWhole
        {
            model["is_row"] = true
            model["options"] = stride(from: Int(least), through: Int(most), by: 1).map { number in
                var label = String(number)
                if Double(number) == least, let end = item["anchors"]?["minimum"]?.string {
                    label += ", \(end)"
                }
                if Double(number) == most, let end = item["anchors"]?["maximum"]?.string {
                    label += ", \(end)"
                }
                return [
                    "value": String(number), "short": String(number), "label": label, "name": name,
                    "id": "\(id)-\(number)", "checked": value?.int == number,
                ] as [String: Any]
            }
            return model
        }
        model["is_slider"] = true
        model["least"] = Self.text(.double(least))
        model["most"] = Self.text(.double(most))
        model["step"] = Self.text(.double(step))
        model["answered"] = value != nil && value != .null
        return model
    }

    private func choice(
        _ item: JSON, _ name: String, _ id: String, _ value: JSON?, isOpen: Bool
    ) -> [String: Any] {
        let repeats = item["repeats"]?.bool ?? false
        let given = repeats ? value?.array ?? [] : value.map { [$0] } ?? []
        let excluded = state.excludedOptions[item["linkId"]?.string ?? ""] ?? []
        var model: [String: Any] = [repeats ? "is_checks" : "is_radio": true]
        model["options"] = (item["answerOption"]?.array ?? []).map { option -> [String: Any] in
            let code = option["value"].map(AnswerFields.text) ?? ""
            var entry: [String: Any] = [
                "value": code, "label": option["label"]?.string ?? code, "id": "\(id)-\(code)",
                "type": repeats ? "checkbox" : "radio", "sent": repeats ? "on" : code,
                "name": repeats ? "\(name)[\(code)]" : name,
                "checked": given.contains { AnswerFields.text($0) == code },
                "hidden": excluded.contains(code),
                "exclusive": option["exclusive"]?.bool ?? false, "image": false,
            ]
            if option["media"]?["type"]?.string == "image" {
                entry.add("image", option["media"]?["source"]?.string.flatMap(mediaAddress))
            }
            return entry
        }
        if isOpen {
            let other = given.compactMap { $0["other"]?.string }.first
            model["other"] = [
                "name": "\(name).other", "id": "\(id)-other", "name_of_choice": name, "value": other ?? "",
                "given": other != nil,
            ]
        }
        if repeats { model["limits"] = limits(item) }
        return model
    }

    /// How many options the participant may choose, in words; nil without a limit.
    private func limits(_ item: JSON) -> String? {
        let (least, most) = (item["minOccurs"]?.int, item["maxOccurs"]?.int)
        guard least != nil || most != nil else { return nil }
        let name = least == nil ? "at_most" : most == nil ? "at_least" : "between"
        return words.text("answer", name, ["least": String(least ?? 0), "most": String(most ?? 0)])
    }

    private func ranking(_ item: JSON, _ name: String, _ id: String, _ value: JSON?) -> [String: Any] {
        let options = item["answerOption"]?.array ?? []
        let isCompared = value?.array?.first.map { $0.string == nil && $0.int == nil } ?? false
        let ranked = isCompared ? [] : (value?.array ?? []).map(AnswerFields.text)
        var model: [String: Any] = [
            "is_ranking": true,
            "options": options.map { option -> [String: Any] in
                let code = option["value"].map(AnswerFields.text) ?? ""
                let rank = ranked.firstIndex(of: code).map { $0 + 1 }
                return [
                    "value": code, "label": option["label"]?.string ?? code, "name": "\(name)[\(code)]",
                    "id": "\(id)-\(code)",
                    "ranks": (1...max(options.count, 1)).map {
                        ["rank": $0, "selected": $0 == rank] as [String: Any]
                    },
                ]
            },
        ]
        if item["itemControl"]?.string == "pairwise" {
            model["compared"] = ["comparisons": isCompared ? value?.text ?? "" : ""]
        }
        return model
    }

    private func group(_ item: JSON, _ value: JSON?, _ pointer: String, _ level: Int) -> [String: Any] {
        let children = (item["item"]?.array ?? []).filter { $0["hidden"]?.bool != true }
        let linkId = item["linkId"]?.string ?? ""
        guard item["repeats"]?.bool == true else {
            return [
                "is_group": true, "table": item["itemControl"]?.string == "table",
                "items": children.map {
                    self.model(
                        of: $0, prefix: "", pointer: pointer, given: answers,
                        level: item["text"]?.string == nil ? level : level + 1)
                },
            ]
        }
        let given = value?.array ?? []
        let count = max(given.count + (grownGroup == linkId ? 1 : 0), 1)
        func instance(_ number: String, _ answers: JSONObject) -> [String: Any] {
            [
                "number": number, "title": (Int(number) ?? 0) + 1, "level": level + 1,
                "group": linkId, "id": "q-\(linkId)-\(number)",
                "items": children.map {
                    self.model(
                        of: $0, prefix: "\(linkId).\(number).", pointer: "\(pointer)/\(linkId)/\(number)",
                        given: answers, level: level + 2)
                },
            ]
        }
        var model: [String: Any] = [
            "is_repeating": true, "count": count, "most": item["maxOccurs"]?.int ?? 100,
            "instances": (0..<count).map { number in
                instance(
                    String(number), given.indices.contains(number) ? given[number].object ?? [:] : [:])
            },
        ]
        model["blank"] = instance("0000", [:])
        return model
    }

    private func media(_ media: JSON?) -> [String: Any]? {
        guard let kind = media?["type"]?.string, let source = media?["source"]?.string else { return nil }
        let address = mediaAddress(source)
        // The pages load nothing from other sites. A recording there is a link.
        let isElsewhere = address == nil && kind != "image" && source.hasPrefix("https://")
        let alt = media?["alt"]?.string ?? ""
        var model: [String: Any] = [
            "image": kind == "image" && address != nil, "audio": kind == "audio" && address != nil,
            "video": kind == "video" && address != nil, "elsewhere": isElsewhere,
            "missing": address == nil && !isElsewhere, "source": address ?? source,
            "alt": alt.isEmpty && kind != "image" ? words.text("answer", "recording") : alt,
        ]
        if address != nil, kind != "image" {
            model["name"] = words.text("answer", "media_\(kind)")
            // For participants who do not hear or see it, and for those who prefer to read.
            if !alt.isEmpty { model["in_words"] = alt }
        }
        return model
    }

    /// A value as a form shows it.
    static func text(_ value: JSON?) -> String {
        guard let value, value != .null else { return "" }
        if let string = value.string { return string }
        if let double = value.double, double == double.rounded(), abs(double) < 1e15 {
            return String(Int(double))
        }
        return value.text
    }
}

extension [String: Any] {
    /// Sets a value unless it is nil.
    fileprivate mutating func add(_ key: String, _ value: Any?) {
        if let value { self[key] = value }
    }
}
