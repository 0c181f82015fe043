import SaunterCore
import SaunterServer

/// Errors as OData v4 writes them (JSON Format 4.01, section 21.1).
enum ODataError {
    /// How the routes write their errors.
    static let format = ErrorFormat(
        contentType: "application/json",
        published: [(contentType: "application/json", schema: schema)],
        write: { problem, _, _ in json(problem).bytes })

    private static func json(_ problem: Problem) -> JSON {
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

    private static let schema = Schema.named(
        "ODataError",
        .object([
            .required(
                "error",
                .object(
                    [
                        .required("code", .string(), "The slug of the problem type."),
                        .required("message", .string(), "What is wrong, in English."),
                    ], additional: .any), "The error.")
        ]))
}
