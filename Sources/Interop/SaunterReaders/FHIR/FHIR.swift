import SaunterCore
import SaunterServer

/// The content type, error format and schemas that all FHIR replies share. They follow release R4, in JSON.
enum FHIR {
    static let contentType = "application/fhir+json"

    /// How the routes write their errors: as an OperationOutcome.
    static let errors = ErrorFormat(
        contentType: contentType, published: [(contentType: contentType, schema: outcomeSchema)],
        write: { problem, _, _ in operationOutcome(problem).bytes })

    private static func operationOutcome(_ problem: Problem) -> JSON {
        let code =
            switch problem.type.status {
            case 401: "login"
            case 403: "forbidden"
            case 404: "not-found"
            case 405, 415: "not-supported"
            case 413: "too-long"
            case 429: "throttled"
            case 503: "transient"
            case 500...: "exception"
            default: "invalid"
            }
        func issue(_ text: String) -> JSON {
            [
                "severity": "error", "code": .string(code), "details": ["text": .string(problem.type.title)],
                "diagnostics": .string(text),
            ]
        }
        let texts =
            [problem.detail ?? problem.type.title]
            + problem.faults.map { "\($0.pointer): \($0.detail)" }
        return ["resourceType": "OperationOutcome", "issue": .array(texts.map(issue))]
    }

    private static let outcomeSchema = Schema.named(
        "OperationOutcome",
        .object(
            [
                .required(
                    "resourceType", .string(values: ["OperationOutcome"]), "The type of the FHIR resource."),
                .required("issue", .array(of: .map(of: .any), min: 1), "What is wrong, as FHIR issues."),
            ], additional: .any))

    /// The schema of a resource of this type. It does not describe the content, because the FHIR specification does.
    static func schema(_ type: String) -> Schema {
        .named(
            "FHIR\(type)",
            .object(
                [.required("resourceType", .string(values: [type]), "The type of the FHIR resource.")],
                additional: .any))
    }

    /// The beginning of a resource of this type, for the published contract.
    static func example(_ type: String) -> JSON {
        let own: JSONObject =
            switch type {
            case "Bundle":
                ["type": "searchset", "total": 1, "entry": [["resource": example("Questionnaire")]]]
            case "Questionnaire":
                [
                    "url": "https://s.example/fhir/Questionnaire/who_5-1.0.0", "status": "active",
                    "item": [["linkId": "q1", "type": "choice"]],
                ]
            case "QuestionnaireResponse":
                [
                    "status": "completed", "authored": "2026-11-21T08:00:00.000Z",
                    "item": [["linkId": "q1", "answer": [["valueInteger": 3]]]],
                ]
            default: ["status": "active"]
            }
        var resource: JSONObject = ["resourceType": .string(type)]
        for member in own { resource[member.name] = member.value }
        return .object(resource)
    }
}
