import SaunterCore
import SaunterPacks

/// Imports FHIR R4 Questionnaires. It also accepts three parts of R5: the item type `coding`, `answerConstraint`, and
/// options of primitive types. It reads bytes and returns files, without any I/O.
package enum FHIRImport {
    private static let format = "a FHIR questionnaire"

    /// The questionnaires of a file: one Questionnaire, or all of a Bundle.
    /// - Parameter name: the name of the instrument if the file does not contain one; usually the file name.
    package static func read(_ bytes: [UInt8], name: String) throws(ImportError)
        -> [Result<ImportedInstrument, ImportError>]
    {
        let root: JSON
        do throws(JSONFault) {
            root = try JSONReader.read(bytes)
        } catch {
            throw ImportError(error)
        }
        var found: [FHIRValueSets.Resource] = []
        var others: [FHIRValueSets.Resource] = []
        switch root["resourceType"]?.string {
        case "Questionnaire": found = [("", root)]
        case "Bundle":
            for (index, entry) in (root["entry"]?.array ?? []).enumerated() {
                guard let resource = entry["resource"] else { continue }
                let location = "/entry/\(index)/resource"
                if resource["resourceType"] == "Questionnaire" {
                    found.append((location, resource))
                } else {
                    others.append((location, resource))
                }
            }
        case let other:
            throw ImportError(
                location: "/resourceType",
                detail: other.map { "\($0.prefix(40)) is not a Questionnaire" }
                    ?? "the file has no resourceType")
        }
        guard !found.isEmpty else {
            throw ImportError(location: "/entry", detail: "there is no Questionnaire in this Bundle")
        }
        var codes = NameGenerator()
        return found.map { location, resource in
            let resource = Self.asR4(resource)
            let wanted = resource["name"]?.string?.nonBlank ?? resource["id"]?.string?.nonBlank ?? name
            let code = codes.makeName(wanted)
            return Result { () throws(ImportError) in
                try instrument(resource, code, location, others)
            }
        }
    }

    private static func instrument(
        _ resource: JSON, _ code: String, _ location: String, _ otherResources: [FHIRValueSets.Resource]
    ) throws(ImportError) -> ImportedInstrument {
        var reader = FHIRQuestionnaireReader(
            resource: resource, code: code, location: location, otherResources: otherResources)
        var draft = try reader.readDraft()
        try draft.removeInvalidProperties()
        draft.addParentConditions(reader.mapping.parentQuestions)
        try draft.removeInvalidProperties()
        let preservedParts = FHIRPreservedParts(reader: reader, questionnaire: draft.questionnaire)
        let (mapping, remarks) = try preservedParts.mapping()
        draft.remarks += remarks
        let members = mapping.preserved
        let instrument = try draft.instrument(format: format, root: members.root, preserved: members.items)
        let exported = FHIRQuestionnaire.json(
            instrument.questionnaire,
            preserved: PreservedMembers(
                PackFiles(files: instrument.files), code: code, version: instrument.questionnaire.version))
        if let pointer = FHIRPatch.difference(.object(exported), resource) {
            throw ImportError(
                location: location + pointer,
                detail: "it contains a part that an export cannot return unchanged")
        }
        return instrument
    }

    /// Replaces item types of R5 by those of R4: `coding` with its `answerConstraint`, and texts, numbers, dates and
    /// times with options.
    private static func asR4(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): return .array(elements.map(asR4))
        case .object(let object):
            var converted = JSONObject(object.map { .init(name: $0.name, value: asR4($0.value)) })
            if object["linkId"] != nil, let type = choiceType(object) {
                converted["type"] = .string(type)
                converted["answerConstraint"] = nil
            }
            return .object(converted)
        default: return value
        }
    }

    /// The R4 type of an R5 item with options. Nil if the type stays the same: it is already a type of R4, or R4 has no
    /// equivalent. R4 has no item that allows options and other numbers, dates or times.
    private static func choiceType(_ item: JSONObject) -> String? {
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

extension ImportError {
    /// The error for a file that is not JSON, or that contains values that must not be stored.
    fileprivate init(_ fault: JSONFault) {
        switch fault {
        case .unreadable(let offset, let reason):
            self.init(location: "", detail: "the file is not JSON: at byte \(offset), \(reason)")
        case .rejected(let faults):
            let more = faults.list.count > 1 ? " There are \(faults.list.count - 1) more such faults." : ""
            self.init(
                location: faults.list.first?.pointer ?? "", detail: (faults.list.first?.detail ?? "") + more)
        }
    }
}
