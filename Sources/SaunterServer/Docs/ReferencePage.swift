import HTTPTypes
import Mustache
import SaunterCore

/// The reference page at `/docs`: the route table as one HTML page. It loads nothing from other servers
/// and can be printed. A script adds a search box; the page is complete without it.
enum ReferencePage {
    /// The page may load only its own style sheet and its own script.
    static let contentSecurityPolicy = """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'
        """

    /// The page as HTML.
    /// - Throws: an error of the template engine.
    static func html(routes: [Route], version: String, publicURL: String) throws -> String {
        var schemas = SchemaWriter()
        let sections = OpenAPIDocument.tags(routes).map { tag in
            [
                "tag": tag, "anchor": anchor(tag),
                "operations": routes.filter { $0.tag == tag }.map { operation($0, publicURL, &schemas) },
            ] as [String: Any]
        }
        let named = schemas.components.map { component in
            ["name": component.name, "rows": rows(component.value)] as [String: Any]
        }
        let page: [String: Any] = [
            "version": version, "publicURL": publicURL,
            "introduction": ReferenceText.paragraphs(OpenAPIDocument.introduction),
            "steps": Walkthrough.steps.map {
                ["title": $0.title, "text": ReferenceText.paragraphs($0.text)] as [String: Any]
            },
            "sections": sections, "schemas": named, "problems": ProblemType.allCases.map(problem),
        ]
        return try MustacheTemplate(string: ReferenceTemplate.html).render(page)
    }

    private static func operation(_ route: Route, _ publicURL: String, _ schemas: inout SchemaWriter)
        -> [String: Any]
    {
        var operation: [String: Any] = [
            "id": route.operationID, "method": route.method.rawValue, "path": route.path,
            "who": route.who.rawValue,
            "summary": route.summary, "description": ReferenceText.paragraphs(route.description),
            "hasDescription": !route.description.isEmpty,
            "curl": CurlExample.text(route, publicURL: publicURL),
            "parameters": parameters(route, &schemas),
            "hasParameters": !route.pathParameters.isEmpty
                || !route.query.isEmpty || !route.conditionalHeaders.isEmpty,
            "outcomes": route.allOutcomes.map { outcome($0, &schemas) },
            "problems": route.possibleProblems.map(problem),
        ]
        if let body = route.body {
            operation["body"] =
                [
                    "rows": rows(schemas.write(body.schema)), "limit": size(body.limit),
                    "types": body.media.types.joined(separator: ", "),
                ] as [String: Any]
        }
        return operation
    }

    private static func parameters(_ route: Route, _ schemas: inout SchemaWriter) -> [[String: Any]] {
        var parameters: [[String: Any]] = []
        for parameter in route.pathParameters {
            let type = SchemaTable.type(schemas.write(parameter.schema))
            parameters.append(
                [
                    "name": parameter.name, "location": "path", "type": type,
                    "description": ReferenceText.inline(parameter.description),
                ])
        }
        for parameter in route.query {
            let type = SchemaTable.type(schemas.write(parameter.schema))
            parameters.append(
                [
                    "name": parameter.name, "location": "query", "type": type,
                    "description": ReferenceText.inline(parameter.description),
                ])
        }
        for header in route.conditionalHeaders {
            parameters.append(
                [
                    "name": header.name, "location": "header", "type": "string",
                    "description": ReferenceText.inline(header.description),
                ])
        }
        return parameters
    }

    private static func outcome(_ outcome: Outcome, _ schemas: inout SchemaWriter) -> [String: Any] {
        var value: [String: Any] = [
            "status": outcome.status.code, "description": ReferenceText.inline(outcome.description),
            "contentType": outcome.contentType ?? "", "hasContentType": outcome.contentType != nil,
            "headers": outcome.headers.map(\.name).joined(separator: ", "),
            "hasHeaders": !outcome.headers.isEmpty,
        ]
        if let schema = outcome.schema {
            let rows = rows(schemas.write(schema))
            value["rows"] = rows
            value["hasRows"] = !rows.isEmpty
        }
        if let example = outcome.example { value["example"] = example.string ?? PrettyJSON.text(example) }
        return value
    }

    private static func rows(_ schema: JSON) -> [[String: Any]] {
        SchemaTable(schema).rows.map { row in
            [
                "name": row.name.isEmpty ? "(the value)" : row.name, "type": row.type, "link": row.link,
                "isLinked": !row.link.isEmpty,
                "isRequired": row.isRequired, "description": ReferenceText.inline(row.description),
            ]
        }
    }

    private static func problem(_ type: ProblemType) -> [String: Any] {
        [
            "slug": type.slug, "status": type.status, "title": type.title, "action": type.action.rawValue,
            "meaning": ReferenceText.inline(type.meaning),
        ]
    }

    /// The HTML id of a section.
    static func anchor(_ tag: String) -> String {
        "tag-" + tag.lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
    }

    private static func size(_ bytes: Int) -> String {
        bytes >= 1024 * 1024 ? "\(bytes / 1024 / 1024) MiB" : "\(bytes / 1024) KiB"
    }
}
