import Foundation
import SaunterCore

/// `fhir/questionnaire_responses.json`: every answer sheet that was not deleted, as a FHIR R4 QuestionnaireResponse.
/// The file is a collection bundle that is written sheet by sheet.
struct ResponseBundle {
    private static let pieceSize = 1 << 16

    let sheets: URL
    let answers: URL
    /// Nil if the profile does not include free text.
    let texts: URL?
    let definitions: StudyDefinitions

    func write(into file: inout OutputFile) throws {
        var sheet = try TableCursor(sheets)
        var answer = try TableCursor(answers)
        var text = try texts.map { try TableCursor($0) }
        try file.write(Array("{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"entry\":[\n".utf8))
        var pending: [UInt8] = []
        var isFirst = true
        let resources = ResponseResources(definitions: definitions)
        try sheet.advance()
        try answer.advance()
        try text?.advance()
        while sheet.isAtRow {
            if sheet["deleted"] != "1" {
                let resource = try resources.resource(of: sheet, &answer, &text)
                let entry: JSON = [
                    "fullUrl": .string("urn:saunter:sheet:\(sheet["enrolment_id"]):\(sheet["sheet_id"])"),
                    "resource": .object(resource),
                ]
                pending += Array(((isFirst ? "" : ",\n") + entry.text).utf8)
                isFirst = false
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
