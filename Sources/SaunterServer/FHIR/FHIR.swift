import SaunterCore

/// What all FHIR replies share: R4, in JSON.
enum FHIR {
    static let contentType = "application/fhir+json"
    /// Where FHIR's own extensions are defined.
    static let extensions = "http://hl7.org/fhir/StructureDefinition"

    /// A refusal as an OperationOutcome.
    static func outcome(_ problem: Problem, requestID: String) -> JSON {
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
        func issue(_ words: String) -> JSON {
            [
                "severity": "error", "code": .string(code), "details": ["text": .string(problem.type.title)],
                "diagnostics": .string(words),
            ]
        }
        let words =
            [problem.detail ?? problem.type.title]
            + problem.faults.map { "\($0.pointer): \($0.detail)" }
        return ["resourceType": "OperationOutcome", "issue": .array(words.map(issue))]
    }

    static let outcomeSchema = Schema.named(
        "OperationOutcome",
        .object(
            [
                .required("resourceType", .string(values: ["OperationOutcome"])),
                .required("issue", .array(of: .map(of: .any), min: 1)),
            ], additional: .any))

    /// Any resource of this type; what is in it is FHIR's to say.
    static func schema(_ type: String) -> Schema {
        .named(
            "FHIR\(type)",
            .object([.required("resourceType", .string(values: [type]))], additional: .any))
    }
}
