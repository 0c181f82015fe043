import SaunterCore

/// Compares the questionnaire that Saunter would export with the source, and stores the difference, so that an export
/// returns every part of the source unchanged. Parts that could have an effect, but are only preserved, get a remark.
struct FHIRPreservedParts {
    /// Members without effect on the questions: origin and appearance.
    private static let harmless: Set<String> = [
        "linkId", "id", "prefix", "code", "definition", "_text", "text", "_linkId", "_type", "designNote",
        "_prefix", "_definition", "_required",
    ]
    /// Extensions without effect on the questions.
    private static let harmlessExtensions: Set<String> = [
        "rendering-style", "rendering-xhtml", "rendering-markdown", "translation", "designNote",
        "entryFormat",
        "questionnaire-displayCategory", "questionnaire-supportLink", "questionnaire-choiceOrientation",
        "sdc-questionnaire-shortText", "sdc-questionnaire-choiceColumn", "sdc-questionnaire-width",
        "preferredTerminologyServer", "sdc-questionnaire-preferredTerminologyServer",
        "elementId", "questionnaire-optionPrefix",
    ]

    let reader: FHIRQuestionnaireReader
    /// The questionnaire as it is stored.
    let questionnaire: Questionnaire

    /// The mapping with all patches, and the remarks.
    func mapping() throws(ImportError) -> (mapping: FHIRSourceMapping, remarks: [Remark]) {
        var mapping = reader.mapping
        var remarks: [Remark] = []
        let writer = FHIRQuestionnaire.itemWriter(questionnaire, mapping)
        let items = questionnaire.item.withDescendants
        let byLinkId = Dictionary(items.map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        for item in items {
            let parent = mapping.parentQuestions[item.linkId].flatMap { byLinkId[$0] }
            guard let source = reader.sources[item.linkId] else { continue }
            var wanted = source
            wanted["item"] = nil
            mapping.patches[item.linkId] = FHIRPatch.make(
                from: .object(writer.resource(for: item, under: parent)), to: .object(wanted),
                optionKeys: item.answerOption.map(\.value.text))
            remarks += self.remarks(mapping.patches[item.linkId], item.linkId)
            remarks += Self.remarks(within: source, at: reader.locations[item.linkId] ?? reader.location)
        }
        var wanted = reader.resource.object ?? JSONObject()
        wanted["item"] = nil
        let made = FHIRQuestionnaire.head(writer)
        mapping.root = FHIRPatch.make(from: .object(made), to: .object(wanted))
        for element in wanted["extension"]?.array ?? [] {
            let url = element["url"]?.string ?? ""
            if !Self.isHarmless(url), url != "urn:saunter:constraint",
                !reader.importedRootExtensions.contains(element)
            {
                remarks.append(
                    Remark(
                        location: "\(reader.location)/extension",
                        detail: "\(url.prefix(200)) is kept without effect"))
            }
        }
        if wanted["implicitRules"] != nil {
            remarks.append(
                Remark(
                    location: "\(reader.location)/implicitRules",
                    detail: "these rules are kept without effect"))
        }
        remarks += Self.modifiers(wanted, at: reader.location)
        return (mapping, remarks)
    }

    private func remarks(_ patch: JSON?, _ linkId: String) -> [Remark] {
        let importedMembers = reader.importedMembers[linkId] ?? []
        let location = reader.locations[linkId] ?? reader.location
        var remarks: [Remark] = []
        for member in patch?.object ?? JSONObject() where !member.value.isNull {
            let isPlain = Self.harmless.contains(member.name) || importedMembers.contains(member.name)
            if member.name == "extension" {
                var urls: [String] = []
                for element in reader.sources[linkId]?["extension"]?.array ?? [] {
                    let url = element["url"]?.string ?? ""
                    if !urls.contains(url), !importedMembers.contains(url), !Self.isHarmless(url) {
                        urls.append(url)
                    }
                }
                for url in urls {
                    remarks.append(
                        Remark(
                            location: "\(location)/extension",
                            detail: "\(url.prefix(200)) is kept without effect"))
                }
            } else if member.name == "modifierExtension" {
                remarks += Self.modifiers(reader.sources[linkId] ?? JSONObject(), at: location)
            } else if !isPlain {
                let name = Fault.escape(String(member.name.prefix(60)))
                remarks.append(Remark(location: "\(location)/\(name)", detail: "kept without effect"))
            }
        }
        return remarks
    }

    static func isHarmless(_ url: String) -> Bool {
        harmlessExtensions.contains(String(url.split(separator: "/").last ?? ""))
    }
}

/// Remarks about the parts of options, conditions and initial values that have no effect.
extension FHIRPreservedParts {
    /// Per list: its name, the members of its elements that are read, and the prefix of the member that contains the
    /// value, such as `value` for `valueCoding`.
    private static let parts: [(list: String, members: Set<String>, value: String)] = [
        ("answerOption", ["initialSelected"], "value"), ("enableWhen", ["question", "operator"], "answer"),
        ("initial", [], "value"),
    ]

    /// Remarks about the parts of an item. Equal remarks about several options become one remark at the first option.
    static func remarks(within item: JSONObject, at location: String) -> [Remark] {
        var found: [Remark] = []
        for part in parts {
            for (index, element) in (item[part.list]?.array ?? []).enumerated() {
                guard let object = element.object else { continue }
                let pointer = "\(location)/\(part.list)/\(index)"
                found += modifiers(object, at: pointer)
                for member in object {
                    switch member.name {
                    case "id", "modifierExtension": break
                    case "extension": found += extensions(object, at: pointer)
                    case let name where name.hasPrefix(part.value):
                        found += extensions(member.value.object ?? JSONObject(), at: "\(pointer)/\(name)")
                    case let name where part.members.contains(name): break
                    default:
                        let name = Fault.escape(String(member.name.prefix(60)))
                        found.append(Remark(location: "\(pointer)/\(name)", detail: "kept without effect"))
                    }
                }
            }
        }
        return merged(found, at: location)
    }

    /// Remarks about modifier extensions. A reader that ignores one may misunderstand the element that contains it.
    static func modifiers(_ object: JSONObject, at location: String) -> [Remark] {
        urls(object["modifierExtension"]).map {
            Remark(
                location: "\(location)/modifierExtension",
                detail: "\($0.prefix(200)) changes the meaning of the element that contains it, "
                    + "and is kept without effect")
        }
    }

    private static func extensions(_ object: JSONObject, at location: String) -> [Remark] {
        let all = object["extension"]?.array ?? []
        let hasMedia = FHIRQuestionnaireReader.media(all) != nil
        let unread = all.filter { !isRead($0) && !(hasMedia && FHIRQuestionnaireReader.isMedia($0)) }
        return urls(.array(unread)).map {
            Remark(location: "\(location)/extension", detail: "\($0.prefix(200)) is kept without effect")
        }
    }

    /// Whether an extension of an option is read, or has no effect on the questions.
    private static func isRead(_ element: JSON) -> Bool {
        let url = element["url"]?.string ?? ""
        let own = [
            FHIRQuestionnaireReader.conditionURL, FHIRQuestionnaireReader.behaviorURL,
            FHIRQuestionnaireReader.labelURL, FHIRQuestionnaireReader.mediaKindURL,
        ]
        return isHarmless(url) || own.contains(url) || FHIRQuestionnaireReader.weight(element) != nil
            || url.hasSuffix("/questionnaire-optionExclusive") && element["valueBoolean"]?.bool != nil
    }

    /// The URLs of extensions, each once.
    private static func urls(_ list: JSON?) -> [String] {
        (list?.array ?? []).reduce(into: []) { urls, element in
            let url = element["url"]?.string ?? ""
            if !urls.contains(url) { urls.append(url) }
        }
    }

    /// Keeps the first of equal remarks about the elements of one list, because a list may have a thousand options.
    private static func merged(_ remarks: [Remark], at location: String) -> [Remark] {
        struct Kind: Hashable {
            let location: String
            let detail: String
        }
        func kind(_ remark: Remark) -> Kind {
            // Removes the location of the item and the index of the element, so that elements of a list are equal:
            // /item/3/answerOption/7/extension becomes answerOption/extension.
            var steps = remark.location.dropFirst(location.count).split(separator: "/").map(String.init)
            if steps.count > 1 { steps.remove(at: 1) }
            return Kind(location: steps.joined(separator: "/"), detail: remark.detail)
        }
        var counts: [Kind: Int] = [:]
        for remark in remarks { counts[kind(remark), default: 0] += 1 }
        return remarks.compactMap { remark in
            guard let count = counts.removeValue(forKey: kind(remark)) else { return nil }
            let more = count > 1 ? " (the first of \(count) elements)" : ""
            return Remark(location: remark.location, detail: remark.detail + more)
        }
    }
}
