/// Writes schemas as JSON Schema 2020-12. Named schemas are collected in `components`. References to them have the form
/// `#/components/schemas/<name>` of OpenAPI 3.1.
package struct SchemaWriter {
    private static let prefix = "#/components/schemas/"

    /// The named schemas so far, in the order of first use.
    package private(set) var components = JSONObject()

    /// Creates a writer that has collected no named schemas.
    package init() {}

    /// Writes a schema as JSON. Afterwards `components` contains the named schemas that it refers to.
    package mutating func write(_ schema: Schema) -> JSON {
        var written = shape(schema.shape)
        if let description = schema.description { written["description"] = .string(description) }
        return .object(written)
    }

    private mutating func shape(_ shape: Schema.Shape) -> JSONObject {
        switch shape {
        case .any: [:]
        case .boolean: ["type": "boolean"]
        case .integer(let minimum, let maximum):
            [
                "type": "integer",
                "minimum": .int(minimum ?? -9_007_199_254_740_991),
                "maximum": .int(maximum ?? 9_007_199_254_740_991),
            ]
        case .number(let minimum, let maximum): number(minimum, maximum)
        case .string(let rule): string(rule)
        case .array(let element, let minimum, let maximum): array(element, minimum, maximum)
        case .object(let members, let additional): object(members, additional)
        case .nullable(let inner): nullable(inner)
        case .anyOf(let choices): ["anyOf": .array(choices.map { write($0) })]
        case .named(let name, let inner): reference(name, inner)
        }
    }

    private func number(_ minimum: Double?, _ maximum: Double?) -> JSONObject {
        var object: JSONObject = ["type": "number"]
        object.add("minimum", minimum.map(JSON.double))
        object.add("maximum", maximum.map(JSON.double))
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

    private mutating func array(_ element: Schema, _ minimum: Int, _ maximum: Int?) -> JSONObject {
        var object: JSONObject = ["type": "array", "items": write(element)]
        if minimum > 0 { object["minItems"] = .int(minimum) }
        object.add("maxItems", maximum.map(JSON.int))
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

    /// Reserves the name before it writes the schema, so that a recursive schema does not recurse forever.
    private mutating func reference(_ name: String, _ inner: @Sendable () -> Schema) -> JSONObject {
        if components[name] == nil {
            components[name] = [:]
            components[name] = write(inner())
        }
        return ["$ref": .string(Self.prefix + name)]
    }
}
