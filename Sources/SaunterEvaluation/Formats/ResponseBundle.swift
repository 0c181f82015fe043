import Foundation
import SaunterCore

/// `fhir/questionnaire_responses.json`: every answer sheet that was not deleted as a FHIR R4 QuestionnaireResponse, in a
/// collection bundle that is written sheet by sheet.
struct ResponseBundle {
    private static let pieceSize = 1 << 16

    let sheets: URL
    let answers: URL
    /// Nil where the profile tells no free text.
    let texts: URL?
    let definitions: StudyDefinitions

    func write(into file: inout OutputFile) throws {
        var sheet = try TableCursor(sheets)
        var answer = try TableCursor(answers)
        var text = try texts.map { try TableCursor($0) }
        try file.write(Array("{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"entry\":[\n".utf8))
        var pending: [UInt8] = []
        var isFirst = true
        try sheet.advance()
        try answer.advance()
        try text?.advance()
        while sheet.isAtRow {
            if sheet["deleted"] != "1" {
                let items = try items(of: sheet, &answer, &text)
                pending += Array(((isFirst ? "" : ",\n") + entry(sheet, items).text).utf8)
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

    private func entry(_ sheet: TableCursor, _ items: [JSON]) -> JSON {
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
        return [
            "fullUrl": .string("urn:saunter:sheet:\(sheet["enrolment_id"]):\(sheet["sheet_id"])"),
            "resource": .object(resource),
        ]
    }

    /// The items of a sheet: its rows stand together in the answers, in the same order of sheets.
    private func items(of sheet: TableCursor, _ answer: inout TableCursor, _ text: inout TableCursor?) throws
        -> [JSON]
    {
        var items: [ResponseItem] = []
        let instrument = definitions.instruments.first { $0.code == sheet["instrument"] }
        while answer.isAtRow, answer.isOfSheet(sheet) {
            let linkId = answer["item"]
            if items.last?.name != linkId { items.append(ResponseItem(linkId, instrument)) }
            let place = items.count - 1
            let isText = answer["option"] == "" || answer["option"] == Item.otherCode
            if isText, let words = text, words.isAtRow, words.isOfSheet(sheet), words["item"] == linkId {
                items[place].answers.append(["valueString": .string(words["text"])])
                try text?.advance()
            } else if answer["value"] != "" {
                try items[place].add(answer["value"], option: answer["option"], type: answer["type"])
            }
            items[place].reason = items[place].reason ?? Self.absence(answer["missing"])
            try answer.advance()
        }
        return ResponseItem.nested(items)
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

/// A canonical file, row by row, so that several of one order can be read side by side.
struct TableCursor {
    private var reader: CSVReader
    private let places: [String: Int]
    private var fields: [String] = []

    init(_ url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        reader = CSVReader { Array(try handle.read(upToCount: 1 << 16) ?? Data()) }
        let header = try reader.next()?.fields ?? []
        places = Dictionary(header.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// False before the first row and after the last.
    var isAtRow: Bool { !fields.isEmpty }

    mutating func advance() throws {
        fields = try reader.next()?.fields ?? []
    }

    /// Blank where there is no such column.
    subscript(column: String) -> String {
        guard let place = places[column], fields.indices.contains(place) else { return "" }
        return fields[place]
    }

    func isOfSheet(_ sheet: TableCursor) -> Bool {
        self["enrolment_id"] == sheet["enrolment_id"] && self["sheet_id"] == sheet["sheet_id"]
    }
}
