import HTTPTypes
import SaunterCore

/// The published contract, OpenAPI 3.1, written from the very table by which requests are answered.
package struct OpenAPIDocument {
    private let version: String
    private let publicURL: String
    private var schemas = SchemaWriter()

    private init(version: String, publicURL: String) {
        self.version = version
        self.publicURL = publicURL
    }

    /// The whole document. `version` is the server's own; `publicURL` has no slash at its end.
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
                "schemas": .object(schemas.components),
                "securitySchemes": [
                    "access_token": [
                        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                        "description": "From POST /v1/tokens; valid for ten minutes, then refreshed.",
                    ]
                ],
            ],
        ]
    }

    /// In the order of first use.
    static func tags(_ routes: [Route]) -> [String] {
        routes.map(\.tag).reduce(into: []) { tags, tag in
            if !tags.contains(tag) { tags.append(tag) }
        }
    }

    static let introduction = """
        Instants are RFC 3339 in UTC with milliseconds, dates yyyy-mm-dd, zones ids of the IANA database; units stand in names (_m, _s, _ms, _kmh, _bpm, \
        _kcal). Bodies are JSON in UTF-8, with gzip both ways if you like. Ids that a client makes are UUIDs, and a PUT with such an id may be sent again \
        at will. An answer of 2xx means: committed and durable. Every refusal is a problem document (RFC 9457) whose type ends in a stable slug and whose \
        action tells a device what to do.
        """

    /// A schema as JSON; named ones are gathered for `components`.
    mutating func write(_ schema: Schema) -> JSON { schemas.write(schema) }

    private mutating func operation(_ route: Route) -> JSON {
        var operation: JSONObject = [
            "operationId": .string(route.operationID), "tags": [.string(route.tag)],
            "summary": .string(route.summary),
        ]
        let who = "For: \(route.who.rawValue)."
        operation["description"] = .string(route.description.isEmpty ? who : "\(route.description) \(who)")
        operation["security"] = route.who == .anyone ? [] : [["access_token": []]]
        let parameters = self.parameters(route)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body { operation["requestBody"] = requestBody(body) }
        operation["responses"] = .object(responses(route))
        return .object(operation)
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
        for (name, description, isRequired) in route.conditions {
            parameters.append([
                "name": .string(name), "in": "header", "required": .bool(isRequired),
                "description": .string(description), "schema": ["type": "string"],
            ])
        }
        return parameters
    }

    private mutating func requestBody(_ body: BodyRule) -> JSON {
        var content: JSONObject = body.media.isFile ? [:] : ["schema": schemas.write(body.schema)]
        if let example = body.example { content["example"] = example }
        var described = "At most \(body.limit) bytes, before and after decompression."
        var forms = JSONObject(body.media.types.map { .init(name: $0, value: .object(content)) })
        if let lines = body.lines {
            described +=
                " As lines at most \(lines.body) bytes, \(lines.lines) lines and \(lines.line) bytes a line."
            forms[MediaType.lines] = [:]
        }
        return [
            "required": .bool(body.isRequired), "description": .string(described), "content": .object(forms),
        ]
    }
}
