import SaunterCore
import SaunterServer

/// The formats in which REDCap sends errors. The field `returnFormat` of the request selects one; its default is
/// `format`, then XML.
enum REDCapErrorFormat: String, Sendable, CaseIterable {
    case json, csv, xml

    /// How the route writes its errors: in JSON until the form is read, then in the format that the form selects.
    static let errors = REDCapErrorFormat.json.format

    init(_ form: FormBody) {
        self = REDCapErrorFormat(rawValue: form["returnFormat"] ?? form["format"] ?? "xml") ?? .xml
    }

    private var format: ErrorFormat {
        ErrorFormat(
            contentType: contentType,
            published: Self.allCases.map { ($0.contentType, $0 == .json ? Self.schema : nil) },
            choose: { REDCapErrorFormat($0).format },
            write: { problem, _, _ in bytes(problem) })
    }

    private var contentType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .xml: "text/xml; charset=utf-8"
        }
    }

    private func bytes(_ problem: Problem) -> [UInt8] {
        let faults = problem.faults.map { "\($0.pointer): \($0.detail)" }
        let text = ([problem.detail ?? problem.type.title] + faults).joined(separator: " ")
        switch self {
        case .json: return (["error": .string(text)] as JSON).bytes
        case .csv: return Array("ERROR: \(text)".utf8)
        case .xml:
            let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return Array(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" ?><hash><error>\(escaped)</error></hash>".utf8)
        }
    }

    private static let schema = Schema.named(
        "REDCapError", .object([.required("error", .string(), "What is wrong, in English.")]))
}
