import HTTPTypes
import SaunterCore

/// The published contract (OpenAPI 3.1). It is generated from the same route table that the gateway uses.
package struct OpenAPIDocument {
    private let version: String
    private let publicURL: String
    private var schemas = SchemaWriter()

    private init(version: String, publicURL: String) {
        self.version = version
        self.publicURL = publicURL
    }

    /// The complete document.
    /// - Parameters:
    ///   - version: the version of the server.
    ///   - publicURL: without a slash at its end.
    package static func json(routes: [Route], version: String, publicURL: String) -> JSON {
        var document = OpenAPIDocument(version: version, publicURL: publicURL)
        return document.write(routes)
    }

    private mutating func write(_ routes: [Route]) -> JSON {
        var paths = JSONObject()
        for route in routes {
            var methods = paths[route.path]?.object ?? [:]
            methods[route.method.rawValue.lowercased()] = operation(route)
            paths[route.path] = .object(methods)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Saunter", "version": .string(version),
                "summary": "Collects questionnaires and walks of research studies.",
                "description": .string(Self.introduction),
            ],
            "servers": [["url": .string(publicURL)]],
            "tags": .array(Self.tags(routes).map { ["name": .string($0)] }),
            "paths": .object(paths),
            "components": [
                "schemas": .object(schemas.components), "examples": .object(problemExamples),
                "securitySchemes": [
                    "access_token": [
                        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                        "description":
                            "An access token from POST /v1/tokens. It is valid for ten minutes; refresh it after that.",
                    ],
                    "metrics_token": [
                        "type": "http", "scheme": "bearer",
                        "description":
                            "The metrics token of the operator. If none is set, only callers on this machine are permitted.",
                    ],
                    "api_token": [
                        "type": "http", "scheme": "bearer", "description": "An API token of the study.",
                    ],
                    "api_token_as_password": [
                        "type": "http", "scheme": "basic",
                        "description": "An API token of the study as the password.",
                    ],
                ],
            ],
        ]
    }

    /// The tags of the routes, in the order of their first use.
    static func tags(_ routes: [Route]) -> [String] {
        routes.map(\.tag).reduce(into: []) { tags, tag in
            if !tags.contains(tag) { tags.append(tag) }
        }
    }

    /// The rules for all routes, for developers of clients.
    static let introduction = """
        Instants are RFC 3339 in UTC with milliseconds; dates are yyyy-mm-dd; time zones are ids of the IANA \
        database. Units are part of the names (_m, _s, _ms, _kmh, _bpm, _kcal). Bodies are JSON in UTF-8, and may be \
        compressed with gzip in both directions. Ids that a client creates are UUIDs. A PUT with such an id is \
        idempotent: the client may send it again at any time. A response with status 2xx means that the data is \
        committed and durable. Every error is a problem document (RFC 9457). Its type ends in a stable slug, and its \
        action says what a device should do.
        """

    private mutating func operation(_ route: Route) -> JSON {
        var operation: JSONObject = [
            "operationId": .string(route.operationID), "tags": [.string(route.tag)],
            "summary": .string(route.summary),
        ]
        let who = "For: \(route.who.rawValue)."
        operation["description"] = .string(route.description.isEmpty ? who : "\(route.description) \(who)")
        operation["security"] = Self.security(route.who)
        let parameters = self.parameters(route)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body { operation["requestBody"] = requestBody(body) }
        operation["responses"] = .object(responses(route))
        return .object(operation)
    }

    /// The security requirements of a route. A caller meets one of them; an empty one needs no token.
    private static func security(_ who: AccessKind) -> JSON {
        switch who {
        case .anyone, .visitor: []
        case .metrics: [[:], ["metrics_token": []]]
        case .reader: [["access_token": []], ["api_token": []], ["api_token_as_password": []]]
        case .account, .participant, .researcher, .coordinator, .editor, .admin, .staff, .member:
            [["access_token": []]]
        }
    }

    private mutating func parameters(_ route: Route) -> [JSON] {
        var parameters: [JSON] = []
        for parameter in route.pathParameters {
            parameters.append([
                "name": .string(parameter.name), "in": "path", "required": true,
                "description": .string(parameter.description), "schema": schemas.write(parameter.schema),
                "example": .string(parameter.example),
            ])
        }
        for parameter in route.query {
            let schema = parameter.repeats ? Schema.array(of: parameter.schema) : parameter.schema
            parameters.append([
                "name": .string(parameter.name), "in": "query", "required": false,
                "description": .string(parameter.description), "schema": schemas.write(schema),
                "style": "form", "explode": .bool(parameter.repeats),
            ])
        }
        for (name, description) in route.conditionalHeaders {
            parameters.append([
                "name": .string(name), "in": "header", "required": false,
                "description": .string(description), "schema": ["type": "string"],
            ])
        }
        return parameters
    }

    private mutating func requestBody(_ body: BodyRule) -> JSON {
        var content: JSONObject = body.media.isFile ? [:] : ["schema": schemas.write(body.schema)]
        if let example = body.example { content["example"] = example }
        var description = "At most \(body.limit) bytes, before and after decompression."
        var mediaTypes = JSONObject(body.media.types.map { .init(name: $0, value: .object(content)) })
        if let lines = body.lines {
            description += """
                 As \(MediaType.lines): at most \(lines.body) bytes, \(lines.lines) lines, and \(lines.line) bytes \
                per line.
                """
            mediaTypes[MediaType.lines] = [:]
        }
        return [
            "required": .bool(body.isRequired), "description": .string(description),
            "content": .object(mediaTypes),
        ]
    }

    /// The responses by status. If a success and an error have the same status (503 of a health check), the response
    /// contains the bodies of both.
    private mutating func responses(_ route: Route) -> JSONObject {
        var responses = JSONObject()
        for outcome in route.allOutcomes {
            let status = String(outcome.status.code)
            responses[status] = response(outcome, merging: responses[status])
        }
        let problems = Dictionary(grouping: route.possibleProblems, by: \.status)
        for status in problems.keys.sorted() {
            responses[String(status)] = response(
                problems[status] ?? [], route.errorFormat, merging: responses[String(status)])
        }
        return responses
    }

    private mutating func response(_ outcome: Outcome, merging existing: JSON?) -> JSON {
        var response = existing?.object ?? [:]
        let description = response["description"]?.string.map { "\($0) " } ?? ""
        response["description"] = .string(description + outcome.description)
        var headers = response["headers"]?.object ?? [:]
        for header in outcome.headers {
            headers[header.name] = ["description": .string(header.description), "schema": ["type": "string"]]
        }
        if !headers.isEmpty { response["headers"] = .object(headers) }
        guard let type = outcome.contentType else { return .object(response) }
        var media = JSONObject()
        if let schema = outcome.schema { media["schema"] = schemas.write(schema) }
        if let example = outcome.example { media["example"] = example }
        var content = response["content"]?.object ?? [:]
        content[type] = .object(media)
        response["content"] = .object(content)
        return .object(response)
    }

    /// References to the examples of the problem types.
    private static func examples(of types: [ProblemType]) -> JSON {
        .object(
            JSONObject(
                types.map {
                    .init(name: $0.slug, value: ["$ref": .string("#/components/examples/\($0.slug)")])
                }))
    }

    /// Whether a response with this problem has the header `Retry-After`.
    private static func hasRetryAfter(_ type: ProblemType) -> Bool { [429, 503, 507].contains(type.status) }

    /// One problem document for each problem type.
    private var problemExamples: JSONObject {
        JSONObject(
            ProblemType.allCases.map { type in
                let wait = Self.hasRetryAfter(type) ? 5 : nil
                let problem = Problem(type, type.meaning, retryAfter: wait)
                let document = problem.document(requestID: "0193a1f07c1e7d3a", publicURL: publicURL)
                return .init(name: type.slug, value: ["summary": .string(type.title), "value": document])
            })
    }

    private mutating func response(
        _ types: [ProblemType], _ format: ErrorFormat, merging existing: JSON?
    ) -> JSON {
        var response = existing?.object ?? [:]
        let description = response["description"]?.string.map { "\($0) " } ?? ""
        let sentences = types.map { "\($0.title) (\($0.slug))." }
        response["description"] = .string(description + sentences.joined(separator: " "))
        var headers = response["headers"]?.object ?? [:]
        if types.contains(where: Self.hasRetryAfter) {
            headers["Retry-After"] = [
                "description": "Seconds to wait.", "schema": ["type": "integer", "minimum": 0],
            ]
        }
        if !headers.isEmpty { response["headers"] = .object(headers) }
        var content = response["content"]?.object ?? [:]
        for (contentType, schema) in format.published {
            var media = JSONObject()
            if let schema { media["schema"] = schemas.write(schema) }
            if contentType == ErrorFormat.problem.contentType { media["examples"] = Self.examples(of: types) }
            content[contentType] = .object(media)
        }
        response["content"] = .object(content)
        response["x-problem-types"] = .array(types.map { .string($0.slug) })
        return .object(response)
    }
}

extension Route {
    /// The request headers with an entity tag that this route uses.
    var conditionalHeaders: [(name: String, description: String)] {
        var headers: [(name: String, description: String)] = []
        if hasEntityTag {
            headers.append(
                (
                    "If-None-Match",
                    "The ETag of the client's copy. The response is 304 if the copy is current."
                ))
        }
        if problems.contains(.preconditionRequired) {
            headers.append(("If-Match", "The current ETag of the resource. Without it the response is 428."))
        }
        return headers
    }

    /// Whether the route is a GET whose responses have an `ETag`.
    private var hasEntityTag: Bool {
        method == .get && outcomes.contains { $0.headers.contains { $0.name.lowercased() == "etag" } }
    }

    /// The documented successes, with 304 if the responses have an entity tag.
    var allOutcomes: [Outcome] {
        hasEntityTag ? outcomes + [.empty(.notModified, "The client's copy is current.")] : outcomes
    }
}
