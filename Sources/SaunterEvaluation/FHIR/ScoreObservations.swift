import SaunterCore

/// Converts rows of `scores` to FHIR R4 Observations: one per score, derived from the QuestionnaireResponse of its
/// sheet. SDC describes this form for what is computed from responses. The Questionnaires have no items for scores.
struct ScoreObservations {
    let definitions: StudyDefinitions

    /// The Observations of one sheet.
    /// - Parameters:
    ///   - score: a cursor at or before the first score of the sheet. After the call it is after the last one.
    ///   - reference: the reference to the QuestionnaireResponse.
    func resources(
        of sheet: TableCursor, _ score: inout TableCursor, derivedFrom reference: String
    ) throws -> [JSONObject] {
        while score.isAtRow, score.isBefore(sheet) { try score.advance() }
        let instrument = definitions.instruments.first { $0.code == sheet["instrument"] }
        let texts = (instrument?.versions.first { $0.version == sheet["version"] } ?? instrument?.newest)?
            .text(in: definitions.language)
        var resources: [JSONObject] = []
        while score.isAtRow, score.isOfSheet(sheet) {
            resources.append(try resource(of: score, sheet, texts, reference))
            try score.advance()
        }
        return resources
    }

    private func resource(
        of score: TableCursor, _ sheet: TableCursor, _ texts: QuestionnaireText?, _ reference: String
    ) throws -> JSONObject {
        let scale = score["score"]
        let label = texts?.scales[scale] ?? scale
        let source = "\(sheet["enrolment_id"]):\(sheet["sheet_id"]):\(scale)"
        var resource: JSONObject = [
            "resourceType": "Observation", "id": .string(JSON.string(source).digest),
            "status": .string(ResponseResources.isAmended(sheet) ? "amended" : "final"),
            "code": [
                "coding": [
                    [
                        "system": .string("urn:saunter:scale:\(sheet["instrument"])"),
                        "code": .string(scale), "display": .string(label),
                    ]
                ], "text": .string(label),
            ],
            "subject": ResponseResources.subject(of: sheet),
            "effectiveDateTime": .string(ResponseResources.authored(sheet)),
        ]
        if score["value"].isEmpty {
            resource["dataAbsentReason"] = Self.absence(score["reason"])
        } else {
            resource["valueQuantity"] = ["value": try JSONReader.read(score["value"])]
        }
        if !score["band"].isEmpty {
            let band = score["band"]
            resource["interpretation"] = [["text": .string(texts?.bands[scale]?[band] ?? band)]]
        }
        resource["method"] = ["text": .string("Scoring key \(score["rule_version"])")]
        resource["derivedFrom"] = [["reference": .string(reference)]]
        return resource
    }

    /// Why there is no score, as the nearest code of FHIR and in words.
    private static func absence(_ reason: String) -> JSON {
        let code =
            switch ScoreReason(rawValue: reason) {
            case .notShown: "not-asked"
            case .declined: "asked-declined"
            case .excluded: "not-applicable"
            case .undefined: "not-a-number"
            case .outOfRange: "error"
            case .tooFewAnswered, .notInTable, .noCovariate, nil: "unknown"
            }
        let labels = ValueLabels.fixedSets.first { $0.set == "score_reason" }?.codes ?? []
        return [
            "coding": [
                [
                    "system": "http://terminology.hl7.org/CodeSystem/data-absent-reason",
                    "code": .string(code),
                ]
            ], "text": .string(labels.first { $0.code == reason }?.label ?? reason),
        ]
    }
}
