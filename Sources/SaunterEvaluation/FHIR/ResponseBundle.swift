import Foundation
import SaunterCore

/// `fhir/questionnaire_responses.json`: every answer sheet that was not deleted, as a FHIR R4 QuestionnaireResponse,
/// followed by an Observation per score. The file is a collection bundle that is written sheet by sheet.
struct ResponseBundle {
    private static let pieceSize = 1 << 16

    let sheets: URL
    let answers: URL
    let scores: URL
    /// Nil if the profile does not include free text.
    let texts: URL?
    let definitions: StudyDefinitions

    func write(into file: inout OutputFile) throws {
        var sheet = try TableCursor(sheets)
        var answer = try TableCursor(answers)
        var score = try TableCursor(scores)
        var text = try texts.map { try TableCursor($0) }
        try file.write(Array("{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"entry\":[\n".utf8))
        var pending: [UInt8] = []
        var isFirst = true
        let responses = ResponseResources(definitions: definitions)
        let observations = ScoreObservations(definitions: definitions)
        try sheet.advance()
        try answer.advance()
        try score.advance()
        try text?.advance()
        while sheet.isAtRow {
            if sheet["deleted"] != "1" {
                let url = "urn:saunter:sheet:\(sheet["enrolment_id"]):\(sheet["sheet_id"])"
                let response = try responses.resource(of: sheet, &answer, &text)
                var entries = [(url: url, resource: response)]
                for observation in try observations.resources(of: sheet, &score, derivedFrom: url) {
                    entries.append(("urn:saunter:score:\(observation["id"]?.string ?? "")", observation))
                }
                for entry in entries {
                    let json: JSON = ["fullUrl": .string(entry.url), "resource": .object(entry.resource)]
                    pending += Array(((isFirst ? "" : ",\n") + json.text).utf8)
                    isFirst = false
                }
                if pending.count > Self.pieceSize {
                    try file.write(pending)
                    pending.removeAll(keepingCapacity: true)
                }
            }
            try sheet.advance()
        }
        try file.write(pending + Array("\n]}\n".utf8))
    }
}
