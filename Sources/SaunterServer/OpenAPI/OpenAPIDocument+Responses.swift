import HTTPTypes
import SaunterCore

extension Route {
    /// Headers by which a request depends on an entity tag: name, what it does, whether it must be there.
    var conditions: [(name: String, description: String, isRequired: Bool)] {
        var conditions: [(name: String, description: String, isRequired: Bool)] = []
        if hasEntityTag {
            conditions.append(
                ("If-None-Match", "The entity tag of the copy at hand: 304 when it is current.", false))
        }
        if problems.contains(.preconditionRequired) {
            conditions.append(("If-Match", "The entity tag of what is edited.", false))
        }
        return conditions
    }

    /// A read whose replies name an `ETag`.
    private var hasEntityTag: Bool {
        method == .get && outcomes.contains { $0.headers.contains { $0.name.lowercased() == "etag" } }
    }

    /// What is answered when it goes well, with the 304 that follows from an entity tag.
    var allOutcomes: [Outcome] {
        hasEntityTag ? outcomes + [.empty(.notModified, "The copy at hand is current.")] : outcomes
    }
}

extension OpenAPIDocument {
    /// By status. A status that stands both for success and refusals (503 of a probe) has both contents.
    mutating func responses(_ route: Route) -> JSONObject {
        var responses = JSONObject()
        for outcome in route.allOutcomes {
            let status = String(outcome.status.code)
            let before = responses[status]
            responses[status] = response(outcome, joining: before)
        }
        let refusals = Dictionary(grouping: route.refusals, by: \.status)
        for status in refusals.keys.sorted() {
            let types = refusals[status] ?? []
            responses[String(status)] = refusal(
                types, route.refusalShape, joining: responses[String(status)])
        }
        return responses
    }

    private mutating func response(_ outcome: Outcome, joining before: JSON?) -> JSON {
        var response = before?.object ?? [:]
        let told = response["description"]?.string.map { "\($0) " } ?? ""
        response["description"] = .string(told + outcome.description)
        var headers = response["headers"]?.object ?? [:]
        for header in outcome.headers {
            headers[header.name] = ["description": .string(header.description), "schema": ["type": "string"]]
        }
        if !headers.isEmpty { response["headers"] = .object(headers) }
        guard let type = outcome.contentType else { return .object(response) }
        var media = JSONObject()
        if let schema = outcome.schema { media["schema"] = write(schema) }
        if let example = outcome.example { media["example"] = example }
        var content = response["content"]?.object ?? [:]
        content[type] = .object(media)
        response["content"] = .object(content)
        return .object(response)
    }

    private mutating func refusal(
        _ types: [ProblemType], _ shape: RefusalShape, joining before: JSON?
    ) -> JSON {
        var response = before?.object ?? [:]
        let told = response["description"]?.string.map { "\($0) " } ?? ""
        let sentences = types.map { "\($0.title) (\($0.slug))." }
        response["description"] = .string(told + sentences.joined(separator: " "))
        var headers = response["headers"]?.object ?? [:]
        if types.contains(where: { $0.status == 429 || $0.status == 503 || $0.status == 507 }) {
            headers["Retry-After"] = [
                "description": "Whole seconds to wait.", "schema": ["type": "integer", "minimum": 0],
            ]
        }
        if !headers.isEmpty { response["headers"] = .object(headers) }
        var content = response["content"]?.object ?? [:]
        for form in shape.published {
            var media = JSONObject()
            if let schema = form.schema { media["schema"] = write(schema) }
            content[form.contentType] = .object(media)
        }
        response["content"] = .object(content)
        response["x-problem-types"] = .array(types.map { .string($0.slug) })
        return .object(response)
    }
}
