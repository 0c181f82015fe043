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

    /// One dictionary for each item.
    func items(_ items: [JSON]) -> [[String: Any]] {
        items.compactMap { item in
            item["hidden"]?.bool == true ? nil : model(of: item, prefix: "", pointer: "", given: answers)
        }
    }

    private func model(
        of item: JSON, prefix: String, pointer: String, given: JSONObject
    ) -> [String: Any] {
        let linkId = item["linkId"]?.string ?? ""
        let type = item["type"]?.string ?? ""
        let name = AnswerFields.name(prefix, linkId)
        let id = "q-\(prefix)\(linkId)".replacing(".", with: "-")
        let fault = faults["\(pointer)/\(linkId)"]
        var model: [String: Any] = [
            "link_id": linkId, "id": id, "name": name, "text": item["text"]?.string ?? "",
            "hidden": prefix.isEmpty && !state.shown.contains(linkId),
            "required": item["required"]?.bool ?? false,
            "optional": !(item["required"]?.bool ?? false), "type": type,
            "described": [
                item["help"]?.string == nil ? nil : "\(id)-help", fault == nil ? nil : "\(id)-fault",
            ]
            .compactMap(\.self).joined(separator: " "),
        ]
        model["help"] = item["help"]?.string
        model["fault"] = fault
        model["media"] = media(item["media"])
        let value = given[linkId]
        model["reason_refused"] = reasons[linkId]?.string == "refused"
        model["reason_dont_know"] = reasons[linkId]?.string == "dont_know"
        for (key, entry) in control(item, type: type, name: name, id: id, value: value, pointer: pointer) {
            model[key] = entry
        }
        return model
    }

    private func control(
        _ item: JSON, type: String, name: String, id: String, value: JSON?, pointer: String
    ) -> [String: Any] {
        switch type {
        case "group": return group(item, value, pointer)
        case "display": return ["is_display": true]
        case "choice", "open-choice": return choice(item, name, id, value, isOpen: type == "open-choice")
        case "boolean":
            return [
                "is_radio": true,
                "options": [("true", words.text("answer", "yes")), ("false", words.text("answer", "no"))].map
                {
                    [
                        "value": $0.0, "label": $0.1, "name": name, "id": "\(id)-\($0.0)",
                        "checked": value.map { $0 == .bool(true) ? "true" : "false" } == $0.0,
                    ] as [String: Any]
                },
            ]
        case "ranking": return ranking(item, name, id, value)
        case "location":
            let kind = item["data_kind"]?.string
            return [
                "is_location": true, "permitted": kind.map(permittedKinds.contains) ?? true,
                "lat": Self.text(value?["lat"]), "lon": Self.text(value?["lon"]),
                "accuracy": Self.text(value?["accuracy_m"]),
            ]
        case "dateTime":
            let parts = (value?.string ?? "").split(separator: "T", maxSplits: 1).map(String.init)
            return [
                "is_date_time": true, "date": parts.first ?? "",
                "time": String((parts.dropFirst().first ?? "").prefix(5)),
            ]
        case "date": return ["is_input": true, "input_type": "date", "value": Self.text(value)]
        case "time": return ["is_input": true, "input_type": "time", "value": Self.text(value)]
        case "text":
            return [
                "is_area": true, "value": Self.text(value), "placeholder": item["placeholder"]?.string ?? "",
            ]
        default: return input(item, type, name, id, value)
        }
    }

    private func input(
        _ item: JSON, _ type: String, _ name: String, _ id: String, _ value: JSON?
    ) -> [String: Any] {
        let isList = item["repeats"]?.bool ?? false
        if isList {
            let lines = (value?.array ?? []).map { Self.text($0) }.joined(separator: "\n")
            return ["is_area": true, "is_list": true, "value": lines, "placeholder": ""]
        }
        var model: [String: Any] = [
            "value": Self.text(value), "placeholder": item["placeholder"]?.string ?? "",
        ]
        model["unit"] = item["unit"]?.string
        if type == "quantity" {
            model["value"] = Self.text(value?["value"])
            let units = (item["unitOption"]?.array ?? []).compactMap(\.string)
            if units.count == 1 { model["unit"] = units[0] }
            if units.count > 1 {
                model["units"] = units.map {
                    ["unit": $0, "unit_name": "\(name).unit", "selected": value?["unit"]?.string == $0]
                        as [String: Any]
                }
            }
        }
        let control = item["itemControl"]?.string
        let isLine = control == "slider" || control == "visual-analogue-scale"
        if isLine, type != "quantity", let least = item["minValue"]?.double,
            let most = item["maxValue"]?.double
        {
            return scale(item, model, name, id, least...max(least, most), value)
        }
        if ["integer", "decimal", "quantity"].contains(type) {
            model["is_number"] = true
            model["mode"] = type == "integer" ? "numeric" : "decimal"
            model["negative"] = (item["minValue"]?.double ?? 0) < 0
        } else {
            model["is_input"] = true
            model["input_type"] = "text"
        }
        return model
    }

    /// A line with two ends: up to 11 whole values are a row of radio buttons, everything else is a slider.
    private func scale(
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
            item["type"]?.string == "integer"
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
                "name": repeats ? "\(name)[\(code)]" : name,
                "checked": given.contains { AnswerFields.text($0) == code },
                "hidden": excluded.contains(code),
                "exclusive": option["exclusive"]?.bool ?? false,
            ]
            entry["image"] = option["media"]?["source"]?.string
            return entry
        }
        if isOpen {
            model["other"] = [
                "name": "\(name).other", "id": "\(id)-other", "name_of_choice": name,
                "value": given.compactMap { $0["other"]?.string }.first ?? "",
            ]
        }
        return model
    }

    private func ranking(_ item: JSON, _ name: String, _ id: String, _ value: JSON?) -> [String: Any] {
        let options = item["answerOption"]?.array ?? []
        let ranked = (value?.array ?? []).map(AnswerFields.text)
        return [
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
    }

    private func group(_ item: JSON, _ value: JSON?, _ pointer: String) -> [String: Any] {
        let children = item["item"]?.array ?? []
        let linkId = item["linkId"]?.string ?? ""
        guard item["repeats"]?.bool == true else {
            return [
                "is_group": true,
                "items": children.filter { $0["hidden"]?.bool != true }.map {
                    model(of: $0, prefix: "", pointer: pointer, given: answers)
                },
            ]
        }
        let given = value?.array ?? []
        let count = max(given.count, 1)
        return [
            "is_repeating": true, "count": count,
            "instances": (0..<count).map { number -> [String: Any] in
                let answers = given.indices.contains(number) ? given[number].object ?? [:] : [:]
                return [
                    "number": number + 1,
                    "items": children.filter { $0["hidden"]?.bool != true }.map {
                        model(
                            of: $0, prefix: "\(linkId).\(number).", pointer: "\(pointer)/\(linkId)/\(number)",
                            given: answers)
                    },
                ]
            },
        ]
    }

    private func media(_ media: JSON?) -> [String: Any]? {
        guard let kind = media?["type"]?.string, let source = media?["source"]?.string else { return nil }
        return [
            "image": kind == "image", "audio": kind == "audio", "video": kind == "video", "source": source,
            "alt": media?["alt"]?.string ?? "",
        ]
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
