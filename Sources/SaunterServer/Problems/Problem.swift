import HTTPTypes
import SaunterCore

/// An error that a client gets (RFC 9457). Handlers throw it; the gateway sends it in the `ErrorFormat` of the route.
package struct Problem: Error, Sendable {
    /// The type, which determines the status, title and action.
    package let type: ProblemType
    /// A sentence about this case. Any caller may see it: it contains no answer, no name and no SQL.
    package var detail: String?
    /// All faults of the request. The pointer of a fault is a JSON Pointer into the body, or names a query parameter.
    package var faults: [Fault] = []
    /// Seconds after which a retry makes sense.
    package var retryAfter: Int?
    /// Headers of the response, such as `Allow`.
    package var headers: HTTPFields = [:]
    /// Further members of the document.
    package var members: JSONObject = [:]

    /// Creates a problem; by default only its type is stated.
    package init(
        _ type: ProblemType, _ detail: String? = nil, faults: [Fault] = [], retryAfter: Int? = nil,
        headers: HTTPFields = [:]
    ) {
        self.type = type
        self.detail = detail
        self.faults = faults
        self.retryAfter = retryAfter
        self.headers = headers
    }

    /// A problem with all faults of a request.
    package init(_ type: ProblemType, _ faults: Faults) {
        let count = faults.list.count
        self.init(
            type, count == 1 ? "There is one fault." : "There are \(count) faults.", faults: faults.list)
    }

    /// The HTTP status.
    var status: HTTPResponse.Status { HTTPResponse.Status(code: type.status) }

    /// The address of a type: the public URL of the server, `/problems/` and the slug.
    package static func address(of type: ProblemType, publicURL: String) -> String {
        "\(publicURL)/problems/\(type.slug)"
    }

    /// The problem document.
    /// - Parameter requestID: becomes `instance`. With it the operator finds the request in the log.
    package func document(requestID: String, publicURL: String) -> JSON {
        var document: JSONObject = [
            "type": .string(Self.address(of: type, publicURL: publicURL)),
            "title": .string(type.title),
            "status": .int(type.status),
        ]
        if let detail { document["detail"] = .string(detail) }
        document["instance"] = .string(requestID)
        document["action"] = .string(type.action.rawValue)
        if let retryAfter { document["retry_after"] = .int(retryAfter) }
        if !faults.isEmpty { document["errors"] = .array(faults.map(Self.entry)) }
        for member in members { document[member.name] = member.value }
        return .object(document)
    }

    private static func entry(_ fault: Fault) -> JSON {
        ["pointer": .string(fault.pointer), "code": .string(fault.code), "detail": .string(fault.detail)]
    }
}

extension Problem {
    /// The schema of `document`.
    package static let schema: Schema = .named(
        "Problem",
        .object(
            [
                .required(
                    "type", .string(format: .uri), "An address that ends in a slug. Branch on the slug."),
                .required("title", .string(), "The same for every problem of this type."),
                .required(
                    "status", .integer(min: 400, max: 599), "The HTTP status, also inside of batch results."),
                .optional("detail", .string(), "A sentence about this case, in English."),
                .required("instance", .string(), "The request id, also in the header X-Request-ID."),
                .required(
                    "action", .string(values: ProblemType.Action.allCases.map(\.rawValue)),
                    "What a device should do."),
                .optional(
                    "retry_after", .integer(min: 0),
                    "Seconds to wait, as in the header Retry-After. The results of a batch upload have no such header."
                ),
                .optional("errors", .array(of: fault), "All faults of the request."),
            ], additional: .any))

    private static let fault: Schema = .named(
        "Fault",
        .object([
            .required(
                "pointer", .string(),
                "JSON Pointer (RFC 6901) into the body, or the name of a query parameter."),
            .required("code", .string(), "A stable slug, such as required or above_maximum."),
            .required("detail", .string(), "A sentence for developers, in English."),
        ]))
}
