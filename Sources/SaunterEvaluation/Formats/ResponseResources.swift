import SaunterCore

/// Answer sheets as FHIR R4 QuestionnaireResponses, made of rows of `sheets`, `answers` and `free_text`.
struct ResponseResources {
    let definitions: StudyDefinitions

    /// One sheet.
    /// - Parameters:
    ///   - answer: at the sheet's first row, or before it; afterwards behind its last.
    ///   - text: the same of the free texts; nil where none are told.
    func resource(
        of sheet: TableCursor, _ answer: inout TableCursor, _ text: inout TableCursor?
    ) throws -> JSONObject {
        while answer.isAtRow, answer.isBefore(sheet) { try answer.advance() }
        while let words = text, words.isAtRow, words.isBefore(sheet) { try text?.advance() }
        let items = try items(of: sheet, &answer, &text)
        var resource: JSONObject = [
            "resourceType": "QuestionnaireResponse", "id": .string(sheet["sheet_id"]),
            "questionnaire": .string("urn:saunter:questionnaire:\(sheet["instrument"])|\(sheet["version"])"),
            "status": .string((Int(sheet["rev"]) ?? 1) > 1 ? "amended" : "completed"),
            "subject": [
                "type": "Patient",
                "identifier": [
                    "system": "urn:saunter:participant", "value": .string(sheet["participant_id"]),
                ],
            ],
            "authored": .string(Self.moment(sheet["submitted_at"])),
        ]
        if !items.isEmpty { resource["item"] = .array(items) }
        return resource
    }

    /// FHIR's years have four digits: what a clock that was far ahead puts later is told as the last moment there is, as in the feed of changes.
    private static func moment(_ text: String) -> String {
        text.prefix { $0 != "-" }.count > 4 ? "9999-12-31T23:59:59.999Z" : text
    }

    /// The items of a sheet: its rows stand together in the answers, in the same order of sheets.
    private func items(of sheet: TableCursor, _ answer: inout TableCursor, _ text: inout TableCursor?) throws
        -> [JSON]
    {
        var items: [ResponseItem] = []
        let instrument = definitions.instruments.first { $0.code == sheet["instrument"] }
        while answer.isAtRow, answer.isOfSheet(sheet) {
            let name = answer["item"]
            if items.last?.name != name { items.append(ResponseItem(name, instrument)) }
            let place = items.count - 1
            let isText = answer["option"] == "" || answer["option"] == Item.otherCode
            if isText, let words = text, words.isAtRow, words.isOfSheet(sheet), words["item"] == name {
                items[place].answers.append(["valueString": .string(words["text"])])
                try text?.advance()
            } else if answer["value"] != "" {
                try items[place].add(answer["value"], option: answer["option"], type: answer["type"])
            }
            items[place].reason = items[place].reason ?? Self.absence(answer["missing"])
            try answer.advance()
        }
        let version = instrument?.versions.first { $0.version == sheet["version"] } ?? instrument?.newest
        return ResponseItem.nested(items, in: version?.item ?? [])
    }

    /// FHIR's word for a reason; what was not asked is left out altogether.
    private static func absence(_ code: String) -> String? {
        switch MissingReason(code: code) {
        case .refused: "asked-declined"
        case .dontKnow: "asked-unknown"
        case .notApplicable: "not-applicable"
        case .skipped: "unknown"
        case .invalid: "error"
        case .redacted, .withdrawn: "masked"
        case .notInVersion, .notShown, .notReached, nil: nil
        }
    }
}
