import SaunterCore

/// What stands within the options, conditions and initial values of an item and is read by nobody.
extension FHIRKeeping {
    /// Name of a list -> members of its elements that are read, and how the name of their value begins.
    private static let parts: [(list: String, members: Set<String>, value: String)] = [
        ("answerOption", ["initialSelected"], "value"), ("enableWhen", ["question", "operator"], "answer"),
        ("initial", [], "value"),
    ]

    /// Of many options that hold the same, the first is named.
    static func remarks(within item: JSONObject, at place: String) -> [Remark] {
        var found: [Remark] = []
        for part in parts {
            for (index, element) in (item[part.list]?.array ?? []).enumerated() {
                guard let object = element.object else { continue }
                let here = "\(place)/\(part.list)/\(index)"
                found += modifiers(object, at: here)
                for member in object {
                    switch member.name {
                    case "id", "modifierExtension": break
                    case "extension": found += extensions(object, at: here)
                    case let name where name.hasPrefix(part.value):
                        found += extensions(member.value.object ?? JSONObject(), at: "\(here)/\(name)")
                    case let name where part.members.contains(name): break
                    default:
                        let name = Fault.escape(String(member.name.prefix(60)))
                        found.append(Remark(place: "\(here)/\(name)", detail: "kept without effect"))
                    }
                }
            }
        }
        return first(of: found, at: place)
    }

    /// Whoever does not know such an extension may misread what it stands in.
    static func modifiers(_ object: JSONObject, at place: String) -> [Remark] {
        urls(object["modifierExtension"]).map {
            Remark(
                place: "\(place)/modifierExtension",
                detail: "\($0.prefix(200)) changes the meaning of what it stands in, "
                    + "and is kept without effect")
        }
    }

    private static func extensions(_ object: JSONObject, at place: String) -> [Remark] {
        let unread = (object["extension"]?.array ?? []).filter { !isRead($0) }
        return urls(.array(unread)).map {
            Remark(place: "\(place)/extension", detail: "\($0.prefix(200)) is kept without effect")
        }
    }

    /// Whether an extension of an option is read, or has no effect on what is asked.
    private static func isRead(_ element: JSON) -> Bool {
        let url = element["url"]?.string ?? ""
        let own = [
            FHIRReading.conditionAddress, FHIRReading.behaviorAddress, FHIRReading.labelAddress,
        ]
        return isHarmless(url) || own.contains(url) || FHIRReading.weight(element) != nil
            || url.hasSuffix("/questionnaire-optionExclusive") && element["valueBoolean"]?.bool != nil
    }

    /// The addresses of extensions, each once.
    private static func urls(_ list: JSON?) -> [String] {
        (list?.array ?? []).reduce(into: []) { urls, element in
            let url = element["url"]?.string ?? ""
            if !urls.contains(url) { urls.append(url) }
        }
    }

    /// Remarks of one list that say the same, as one: a list has up to a thousand options.
    private static func first(of remarks: [Remark], at place: String) -> [Remark] {
        struct Kind: Hashable {
            let place: String
            let detail: String
        }
        func kind(_ remark: Remark) -> Kind {
            // The number of the element goes: /item/3/answerOption/7/extension.
            var steps = remark.place.dropFirst(place.count).split(separator: "/").map(String.init)
            if steps.count > 1 { steps.remove(at: 1) }
            return Kind(place: steps.joined(separator: "/"), detail: remark.detail)
        }
        var counts: [Kind: Int] = [:]
        for remark in remarks { counts[kind(remark), default: 0] += 1 }
        return remarks.compactMap { remark in
            guard let count = counts.removeValue(forKey: kind(remark)) else { return nil }
            let more = count > 1 ? ", and so in \(count - 1) more" : ""
            return Remark(place: remark.place, detail: remark.detail + more)
        }
    }
}
