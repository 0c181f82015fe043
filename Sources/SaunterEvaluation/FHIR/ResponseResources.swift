import SaunterCore

/// Converts rows of `sheets`, `answers` and `free_text` to FHIR R4 QuestionnaireResponses.
struct ResponseResources {
    let definitions: StudyDefinitions

    /// The resource of one sheet.
    /// - Parameters:
    ///   - answer: a cursor at or before the first answer of the sheet. After the call it is after the last one.
    ///   - text: the same for free texts; nil if the profile does not include free text.
    func resource(
        of sheet: TableCursor, _ answer: inout TableCursor, _ text: inout TableCursor?
    ) throws -> JSONObject {
        while answer.isAtRow, answer.isBefore(sheet) { try answer.advance() }
        while let current = text, current.isAtRow, current.isBefore(sheet) { try text?.advance() }
        let items = try items(of: sheet, &answer, &text)
        var resource: JSONObject = [
            "resourceType": "QuestionnaireResponse", "id": .string(sheet["sheet_id"]),
            "questionnaire": .string("urn:saunter:questionnaire:\(sheet["instrument"])|\(sheet["version"])"),
            "status": .string(Self.isAmended(sheet) ? "amended" : "completed"),
            "subject": Self.subject(of: sheet), "authored": .string(Self.authored(sheet)),
        ]
        if !items.isEmpty { resource["item"] = .array(items) }
        return resource
    }

    /// Whether the sheet was corrected.
    static func isAmended(_ sheet: TableCursor) -> Bool { (Int(sheet["rev"]) ?? 1) > 1 }

    /// The participant of a sheet as a Patient, by the pseudonym.
    static func subject(of sheet: TableCursor) -> JSON {
        [
            "type": "Patient",
            "identifier": [
                "system": "urn:saunter:participant", "value": .string(sheet["participant_id"]),
            ],
        ]
    }

    /// When the sheet was completed. FHIR years have four digits. A later instant, set by a device clock that was far
    /// ahead, becomes the last instant of 9999, as in the change feed.
    static func authored(_ sheet: TableCursor) -> String {
        let text = sheet["submitted_at"]
        return text.prefix { $0 != "-" }.count > 4 ? "9999-12-31T23:59:59.999Z" : text
    }

    /// The items of a sheet. The answers of a sheet are consecutive, and sheets have the same order in all files.
    private func items(of sheet: TableCursor, _ answer: inout TableCursor, _ text: inout TableCursor?) throws
        -> [JSON]
    {
        var items: [ResponseItem] = []
        let instrument = definitions.instruments.first { $0.code == sheet["instrument"] }
        let questionnaire =
            instrument?.versions.first { $0.version == sheet["version"] } ?? instrument?.newest
        let names = questionnaire.map {
            ResponseNames(questionnaire: $0, mapping: definitions.fhirMapping(of: $0))
        }
        while answer.isAtRow, answer.isOfSheet(sheet) {
            let name = answer["item"]
            if items.last?.name != name { items.append(ResponseItem(name, instrument, names)) }
            let index = items.count - 1
            let isText = answer["option"] == "" || answer["option"] == Item.otherCode
            if isText, let current = text, current.isAtRow, current.isOfSheet(sheet), current["item"] == name
            {
                items[index].answers.append(["valueString": .string(current["text"])])
                try text?.advance()
            } else if answer["value"] != "" {
                try items[index].add(answer["value"], option: answer["option"], type: answer["type"])
            }
            items[index].reason = items[index].reason ?? Self.absence(answer["missing"])
            try answer.advance()
        }
        return names.map { ResponseItem.nested(items, $0) } ?? []
    }

    /// The FHIR code of a reason. Nil for an item that was not asked, which the resource omits.
    private static func absence(_ code: String) -> String? {
        switch MissingReason(code: code) {
        case .refused: "asked-declined"
        case .dontKnow: "asked-unknown"
        case .notApplicable: "not-applicable"
        case .skipped: "unknown"
        case .invalid: "error"
        case .redacted, .withdrawn, .noConsent: "masked"
        case .notInVersion, .notShown, .notReached, nil: nil
        }
    }
}
