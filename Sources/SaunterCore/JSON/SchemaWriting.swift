/// Schemas as JSON Schema 2020-12. Named schemas are gathered on the way and referred to by `#/components/schemas/<name>`, where OpenAPI 3.1
/// keeps them.
package struct SchemaWriter {
    private static let prefix = "#/components/schemas/"

    /// What has been named so far, in the order of first use.
    package private(set) var components = JSONObject()

    package init() {}

    /// The schema as JSON; the components that it refers to are in `components` afterwards.
    package mutating func write(_ schema: Schema) -> JSON {
        var written = shape(schema.shape)
        if let description = schema.description { written["description"] = .string(description) }
        return .object(written)
    }

    private mutating func shape(_ shape: Schema.Shape) -> JSONObject {
        switch shape {
        case .any: [:]
        case .boolean: ["type": "boolean"]
        case .integer(let least, let most):
            [
                "type": "integer",
                "minimum": .int(least ?? -9_007_199_254_740_991),
                "maximum": .int(most ?? 9_007_199_254_740_991),
            ]
        case .number(let least, let most): number(least, most)
        case .string(let rule): string(rule)
        case .array(let element, let least, let most): array(element, least, most)
        case .object(let members, let additional): object(members, additional)
        case .nullable(let inner): nullable(inner)
        case .anyOf(let choices): ["anyOf": .array(choices.map { write($0) })]
        case .named(let name, let inner): reference(name, inner)
        }
    }

    private func number(_ least: Double?, _ most: Double?) -> JSONObject {
        var object: JSONObject = ["type": "number"]
        object.add("minimum", least.map(JSON.double))
        object.add("maximum", most.map(JSON.double))
        return object
    }

    private func string(_ rule: StringRule) -> JSONObject {
        var object: JSONObject = ["type": "string"]
        if rule.minLength > 0 { object["minLength"] = .int(rule.minLength) }
        object.add("maxLength", rule.maxLength.map(JSON.int))
        object.add("format", rule.format?.publishedName.map(JSON.string))
        object.add("pattern", rule.format?.pattern.map(JSON.string))
        if !rule.values.isEmpty { object["enum"] = .array(rule.values.map(JSON.string)) }
        return object
    }

    private mutating func array(_ element: Schema, _ least: Int, _ most: Int?) -> JSONObject {
        var object: JSONObject = ["type": "array", "items": write(element)]
        if least > 0 { object["minItems"] = .int(least) }
        object.add("maxItems", most.map(JSON.int))
        return object
    }

    private mutating func object(_ members: [Schema.Member], _ additional: Schema?) -> JSONObject {
        var object: JSONObject = ["type": "object"]
        if !members.isEmpty {
            object["properties"] = .object(
                JSONObject(members.map { JSONObject.Member(name: $0.name, value: write($0.schema)) }))
        }
        let required = members.filter(\.isRequired)
        if !required.isEmpty { object["required"] = .array(required.map { .string($0.name) }) }
        object["additionalProperties"] = additional.map { write($0) } ?? .bool(false)
        return object
    }

    private mutating func nullable(_ inner: Schema) -> JSONObject {
        guard var written = write(inner).object, let type = written["type"], written["enum"] == nil else {
            return ["anyOf": [write(inner), ["type": "null"]]]
        }
        written["type"] = [type, "null"]
        return written
    }

    /// The name is taken before its schema is written, so that a schema that holds itself comes to an end.
    private mutating func reference(_ name: String, _ inner: @Sendable () -> Schema) -> JSONObject {
        if components[name] == nil {
            components[name] = [:]
            components[name] = write(inner())
        }
        return ["$ref": .string(Self.prefix + name)]
    }
}
