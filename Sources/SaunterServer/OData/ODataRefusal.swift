import SaunterCore

/// A refusal as OData v4 writes it (JSON Format 4.01, section 21.1).
enum ODataRefusal {
    static func json(_ problem: Problem) -> JSON {
        var error: JSONObject = [
            "code": .string(problem.type.slug), "message": .string(problem.detail ?? problem.type.title),
        ]
        if !problem.faults.isEmpty {
            error["details"] = .array(
                problem.faults.map {
                    ["code": .string($0.code), "target": .string($0.pointer), "message": .string($0.detail)]
                })
        }
        return ["error": .object(error)]
    }

    static let schema = Schema.named(
        "ODataError",
        .object([
            .required(
                "error",
                .object(
                    [.required("code", .string()), .required("message", .string())], additional: .any))
        ]))
}
