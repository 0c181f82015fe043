import SaunterCore
import SaunterPacks

/// Reads FHIR R4 Questionnaires (of R5 also `coding`, `answerConstraint` and options of plain types) into instruments. Pure: bytes in, files out.
package enum FHIRImport {
    private static let format = "a FHIR questionnaire"

    /// The questionnaires of a file, one by one: a Questionnaire, or a Bundle of some.
    /// - Parameter name: what an instrument is called where the file does not say; most often the file's name.
    package static func read(_ bytes: [UInt8], name: String) throws(ImportRefusal)
        -> [Result<ImportedInstrument, ImportRefusal>]
    {
        let root: JSON
        do throws(JSONFault) {
            root = try JSONReader.read(bytes)
        } catch {
            throw ImportRefusal(error)
        }
        var found: [FHIRValueSets.Resource] = []
        var others: [FHIRValueSets.Resource] = []
        switch root["resourceType"]?.string {
        case "Questionnaire": found = [("", root)]
        case "Bundle":
            for (index, entry) in (root["entry"]?.array ?? []).enumerated() {
                guard let resource = entry["resource"] else { continue }
                let place = "/entry/\(index)/resource"
                if resource["resourceType"] == "Questionnaire" {
                    found.append((place, resource))
                } else {
                    others.append((place, resource))
                }
            }
        case let other:
            throw ImportRefusal(
                place: "/resourceType", detail: "\(other?.prefix(40) ?? "nothing") is no Questionnaire")
        }
        guard !found.isEmpty else {
            throw ImportRefusal(place: "/entry", detail: "there is no Questionnaire in this Bundle")
        }
        var codes = NameMaker()
        return found.map { place, resource in
            let resource = Self.asR4(resource)
            let wanted = resource["name"]?.string?.nonBlank ?? resource["id"]?.string?.nonBlank ?? name
            let code = codes.take(wanted)
            return Result { () throws(ImportRefusal) in
                try instrument(resource, code, place, others)
            }
        }
    }

    private static func instrument(
        _ resource: JSON, _ code: String, _ place: String, _ beside: [FHIRValueSets.Resource]
    ) throws(ImportRefusal) -> ImportedInstrument {
        var reading = FHIRReading(resource: resource, code: code, place: place, beside: beside)
        var draft = try reading.draft()
        try draft.fit()
        draft.handDown(under: reading.names.under)
        try draft.fit()
        let keeping = FHIRKeeping(reading: reading, questionnaire: draft.questionnaire)
        let (names, remarks) = try keeping.names()
        draft.remarks += remarks
        let kept = names.kept
        let instrument = try draft.instrument(format: format, root: kept.root, kept: kept.items)
        let back = FHIRQuestionnaire.json(
            instrument.questionnaire,
            kept: KeptMembers(
                PackFiles(files: instrument.files), code: code, version: instrument.questionnaire.version))
        if let pointer = FHIRPatch.difference(.object(back), resource) {
            throw ImportRefusal(
                place: place + pointer, detail: "it holds what cannot be given back unchanged")
        }
        return instrument
    }

    /// R5's `coding` with its `answerConstraint`, and its texts, numbers and moments with options, as the types of R4.
    private static func asR4(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): return .array(elements.map(asR4))
        case .object(let object):
            var plain = JSONObject(object.map { .init(name: $0.name, value: asR4($0.value)) })
            if object["linkId"] != nil, let type = choice(object) {
                plain["type"] = .string(type)
                plain["answerConstraint"] = nil
            }
            return .object(plain)
        default: return value
        }
    }

    /// Which choice of R4 an item of R5 is; nil where it is none. Numbers and moments beside the options are none of R4.
    private static func choice(_ item: JSONObject) -> String? {
        let constraint = item["answerConstraint"]?.string
        let isOpen = constraint == "optionsOrString" || constraint == "optionsOrType"
        switch item["type"]?.string {
        case "coding": break
        case "string" where item["answerOption"]?.array?.isEmpty == false: break
        case "integer", "date", "time":
            guard item["answerOption"]?.array?.isEmpty == false, constraint != "optionsOrType" else {
                return nil
            }
        default: return nil
        }
        return isOpen ? "open-choice" : "choice"
    }
}

extension ImportRefusal {
    /// A text that is no JSON, or holds what may not be stored.
    fileprivate init(_ fault: JSONFault) {
        switch fault {
        case .unreadable(let offset, let reason):
            self.init(place: "", detail: "this is no JSON: at byte \(offset), \(reason)")
        case .refused(let faults):
            let more = faults.list.count > 1 ? " There are \(faults.list.count - 1) more such places." : ""
            self.init(
                place: faults.list.first?.pointer ?? "", detail: (faults.list.first?.detail ?? "") + more)
        }
    }
}
