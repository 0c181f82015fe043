import HTTPTypes
import SaunterCore

/// A request that is refused, as RFC 9457 puts it on the wire. Handlers throw it; `ProblemAnswer` writes it.
package struct Problem: Error, Sendable {
    /// What kind of refusal; fixes status, title and action.
    package let type: ProblemType
    /// This case, in a sentence that may be shown to anybody: no answer, no name, no SQL.
    package var detail: String?
    /// Every fault of the body, with its place.
    package var faults: [Fault] = []
    /// Whole seconds after which the same request is worth sending again.
    package var retryAfter: Int?
    /// Headers that belong to the refusal, such as `Allow`.
    package var headers: HTTPFields = [:]
    /// Further members of the document, in their order.
    package var members: JSONObject = [:]

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

    /// A refusal with every fault of a body.
    package init(_ type: ProblemType, _ faults: Faults) {
        let count = faults.list.count
        self.init(
            type, count == 1 ? "There is one fault." : "There are \(count) faults.", faults: faults.list)
    }

    /// The type's address: the public URL of the server, `/problems/` and the slug.
    package static func address(of type: ProblemType, publicURL: String) -> String {
        "\(publicURL)/problems/\(type.slug)"
    }

    /// The document. `requestID` is its `instance`, by which the operator finds the request in the log.
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
    /// The published form of every refusal.
    package static let schema: Schema = .named(
        "Problem",
        .object(
            [
                .required("type", .string(format: .uri), "Ends in the slug that clients branch on."),
                .required("title", .string(), "The same for every problem of this type."),
                .required("status", .integer(min: 400, max: 599)),
                .optional("detail", .string(), "This case."),
                .required("instance", .string(), "The request id, also in the header X-Request-ID."),
                .required(
                    "action", .string(values: ProblemType.Action.allCases.map(\.rawValue)),
                    "What a device should do."),
                .optional(
                    "retry_after", .integer(min: 0),
                    "Whole seconds, as in the header Retry-After, which single results of an outbox do not have."
                ),
                .optional("errors", .array(of: fault), "Every fault at once."),
            ], additional: .any))

    private static let fault: Schema = .named(
        "Fault",
        .object([
            .required(
                "pointer", .string(),
                "JSON Pointer (RFC 6901) into the body, or the name of a query parameter."),
            .required("code", .string(), "A stable slug, such as required or above_maximum."),
            .required("detail", .string(), "For people, in English."),
        ]))
}
