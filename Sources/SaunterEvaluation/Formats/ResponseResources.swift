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
            "authored": .string(sheet["submitted_at"]),
        ]
        if !items.isEmpty { resource["item"] = .array(items) }
        return resource
    }

    /// The items of a sheet: its rows stand together in the answers, in the same order of sheets.
    private func items(of sheet: TableCursor, _ answer: inout TableCursor, _ text: inout TableCursor?) throws
        -> [JSON]
    {
        var items: [(linkId: String, answers: [JSON], reason: String?)] = []
        let instrument = definitions.instruments.first { $0.code == sheet["instrument"] }
        while answer.isAtRow, answer.isOfSheet(sheet) {
            let linkId = answer["item"]
            if items.last?.linkId != linkId { items.append((linkId, [], nil)) }
            let place = items.count - 1
            if let words = text, words.isAtRow, words.isOfSheet(sheet), words["item"] == linkId {
                items[place].answers.append(["valueString": .string(words["text"])])
                try text?.advance()
            } else if answer["option"] != "" {
                let option = instrument?.items.first { $0.linkId == linkId }?.options
                    .first { $0.value.text == answer["option"] }
                if answer["value"] == "1", let option {
                    items[place].answers.append(Self.value(option.value))
                }
            } else if answer["value"] != "" {
                let item = instrument?.items.first { $0.linkId == linkId }
                if let value = try Self.value(answer["value"], answer["type"], item) {
                    items[place].answers.append(value)
                }
            }
            items[place].reason = items[place].reason ?? Self.absence(answer["missing"])
            try answer.advance()
        }
        return items.compactMap { item in
            if !item.answers.isEmpty {
                return ["linkId": .string(item.linkId), "answer": .array(item.answers)]
            }
            guard let reason = item.reason else { return nil }
            return [
                "extension": [
                    [
                        "url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason",
                        "valueCode": .string(reason),
                    ]
                ], "linkId": .string(item.linkId),
            ]
        }
    }

    private static func value(_ option: OptionValue) -> JSON {
        switch option {
        case .integer(let number): ["valueInteger": .int(number)]
        case .code(let code): ["valueCoding": ["code": .string(code)]]
        }
    }

    private static func value(_ text: String, _ type: String, _ item: ItemHistory?) throws -> JSON? {
        switch type {
        case "choice": item?.options.first { $0.value.text == text }.map { value($0.value) }
        case "boolean": ["valueBoolean": .bool(text == "1")]
        // FHIR's integers have 32 bits; a longer one is a decimal.
        case "integer": [Int32(text) == nil ? "valueDecimal" : "valueInteger": try JSONReader.read(text)]
        case "decimal": ["valueDecimal": try JSONReader.read(text)]
        case "date": ["valueDate": .string(text)]
        case "time": ["valueTime": .string(text)]
        case "date_time": ["valueDateTime": .string(text)]
        default: nil
        }
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
