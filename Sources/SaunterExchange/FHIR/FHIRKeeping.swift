import SaunterCore

/// Compares what we would write with what was read, and keeps the difference. Nothing is lost by this, whatever was
/// understood; what is kept and could have had an effect is remarked on.
struct FHIRKeeping {
    /// Members that have no effect on what is asked: where a thing comes from, and how it looks.
    private static let harmless: Set<String> = [
        "linkId", "id", "prefix", "code", "definition", "_text", "text", "_linkId", "_type", "designNote",
        "_prefix", "_definition", "_required",
    ]
    /// Extensions of that kind.
    private static let harmlessExtensions: Set<String> = [
        "rendering-style", "rendering-xhtml", "rendering-markdown", "translation", "designNote",
        "entryFormat",
        "questionnaire-displayCategory", "questionnaire-supportLink", "questionnaire-choiceOrientation",
        "sdc-questionnaire-shortText", "sdc-questionnaire-choiceColumn", "sdc-questionnaire-width",
        "preferredTerminologyServer", "sdc-questionnaire-preferredTerminologyServer",
        "elementId", "questionnaire-optionPrefix",
    ]

    let reading: FHIRReading
    /// As it will be stored.
    let questionnaire: Questionnaire

    func names() throws(ImportRefusal) -> (names: FHIRNames, remarks: [Remark]) {
        var names = reading.names
        var remarks: [Remark] = []
        let writer = FHIRQuestionnaire.items(questionnaire, names)
        let items = all(questionnaire.item)
        let byLinkId = Dictionary(items.map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        for item in items {
            let parent = names.under[item.linkId].flatMap { byLinkId[$0] }
            guard let source = reading.sources[item.linkId] else { continue }
            var wanted = source
            wanted["item"] = nil
            names.patches[item.linkId] = FHIRPatch.make(
                from: .object(writer.own(item, under: parent)), to: .object(wanted),
                optionKeys: item.answerOption.map(\.value.text))
            remarks += self.remarks(names.patches[item.linkId], item.linkId)
            remarks += Self.remarks(within: source, at: reading.places[item.linkId] ?? reading.place)
        }
        var wanted = reading.resource.object ?? JSONObject()
        wanted["item"] = nil
        let made = FHIRQuestionnaire.wholeHead(questionnaire)
        names.root = FHIRPatch.make(from: .object(made), to: .object(wanted))
        for element in wanted["extension"]?.array ?? [] {
            let url = element["url"]?.string ?? ""
            if !Self.isHarmless(url), url != "urn:saunter:constraint",
                !reading.understoodOfAll.contains(element)
            {
                remarks.append(
                    Remark(
                        place: "\(reading.place)/extension",
                        detail: "\(url.prefix(200)) is kept without effect"))
            }
        }
        if wanted["implicitRules"] != nil {
            remarks.append(
                Remark(
                    place: "\(reading.place)/implicitRules", detail: "these rules are kept without effect"))
        }
        remarks += Self.modifiers(wanted, at: reading.place)
        return (names, remarks)
    }

    private func all(_ items: [Item]) -> [Item] { items.flatMap { [$0] + all($0.item) } }

    private func remarks(_ patch: JSON?, _ linkId: String) -> [Remark] {
        let understood = reading.understood[linkId] ?? []
        let place = reading.places[linkId] ?? reading.place
        var remarks: [Remark] = []
        for member in patch?.object ?? JSONObject() where !member.value.isNull {
            let isPlain = Self.harmless.contains(member.name) || understood.contains(member.name)
            if member.name == "extension" {
                var urls: [String] = []
                for element in reading.sources[linkId]?["extension"]?.array ?? [] {
                    let url = element["url"]?.string ?? ""
                    if !urls.contains(url), !understood.contains(url), !Self.isHarmless(url) {
                        urls.append(url)
                    }
                }
                for url in urls {
                    remarks.append(
                        Remark(
                            place: "\(place)/extension", detail: "\(url.prefix(200)) is kept without effect"))
                }
            } else if member.name == "modifierExtension" {
                remarks += Self.modifiers(reading.sources[linkId] ?? JSONObject(), at: place)
            } else if !isPlain {
                let name = Fault.escape(String(member.name.prefix(60)))
                remarks.append(Remark(place: "\(place)/\(name)", detail: "kept without effect"))
            }
        }
        return remarks
    }

    static func isHarmless(_ url: String) -> Bool {
        harmlessExtensions.contains(String(url.split(separator: "/").last ?? ""))
    }
}
