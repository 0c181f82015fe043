import SaunterCore
import SaunterPacks

/// Imports FHIR R4 Questionnaires. It also accepts parts of STU3 and R5 (`FHIRVersions`). It reads bytes and returns
/// files, without any I/O.
package enum FHIRImport {
    private static let format = "a FHIR questionnaire"
    private static let maximumEntries = 10_000
    /// The product of the questionnaires and the codes of a Bundle, because each questionnaire reads the codes again.
    private static let maximumCodeReads = 5_000_000

    /// The questionnaires of a file: one Questionnaire, or all of a Bundle.
    /// - Parameters:
    ///   - name: the name of the instrument if the file does not contain one; usually the file name.
    ///   - allowsFreeText: whether a choice without usable options becomes a text question. Otherwise the questionnaire
    ///     is rejected, because free text cannot be scored and differs from the published instrument.
    ///   - versions: the code of an instrument -> the version that it gets in place of that of the file.
    package static func read(
        _ bytes: [UInt8], name: String, allowsFreeText: Bool = false, versions: [String: String] = [:]
    ) throws(ImportError) -> [Result<ImportedInstrument, ImportError>] {
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
            let entries = root["entry"]?.array ?? []
            guard entries.count <= maximumEntries else {
                throw ImportError(
                    location: "/entry", detail: "the Bundle has more than \(maximumEntries) resources")
            }
            for (index, entry) in entries.enumerated() {
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
        guard found.count <= QuestionnaireImport.maximumQuestionnaires,
            found.count * FHIRValueSets.codeCount(others.map(\.resource)) <= maximumCodeReads
        else {
            throw ImportError(
                location: "/entry",
                detail:
                    "the Bundle has more than \(QuestionnaireImport.maximumQuestionnaires) questionnaires, or too "
                    + "many codes for its questionnaires. Import them in several files")
        }
        var codes = NameGenerator()
        return found.map { location, resource in
            let resource = FHIRVersions.asR4(resource)
            let wanted = resource["name"]?.string?.nonBlank ?? resource["id"]?.string?.nonBlank ?? name
            let code = codes.makeName(wanted)
            return Result { () throws(ImportError) in
                try instrument(
                    resource, code, location, others, allowsFreeText: allowsFreeText, version: versions[code])
            }
        }
    }

    private static func instrument(
        _ resource: JSON, _ code: String, _ location: String, _ otherResources: [FHIRValueSets.Resource],
        allowsFreeText: Bool, version: String?
    ) throws(ImportError) -> ImportedInstrument {
        var reader = FHIRQuestionnaireReader(
            resource: resource, code: code, location: location, otherResources: otherResources)
        var draft = try reader.readDraft()
        if let version { draft.questionnaire.version = version }
        try draft.removeInvalidProperties()
        draft.addParentConditions(reader.mapping.parentQuestions)
        try draft.removeInvalidProperties()
        if !allowsFreeText, let error = reader.lostOptions(draft.questionnaire) { throw error }
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
                detail: "an export cannot return this part unchanged")
        }
        return instrument
    }
}

extension ImportError {
    /// The error for a file that is not JSON, or that contains values that must not be stored.
    fileprivate init(_ fault: JSONFault) {
        switch fault {
        case .unreadable(let offset, let reason):
            self.init(location: "", detail: "the file is not JSON: at byte \(offset), \(reason)")
        case .rejected(let faults):
            let others = faults.list.count - 1
            let more =
                switch others {
                case 0: ""
                case 1: " There is 1 more such fault."
                default: " There are \(others) more such faults."
                }
            self.init(
                location: faults.list.first?.pointer ?? "", detail: (faults.list.first?.detail ?? "") + more)
        }
    }
}
