import SaunterCore

/// A JSON Schema as the rows of a table: one row per member. Nested members have their path as name.
struct SchemaTable {
    /// One row, as the template of the page needs it.
    struct Row {
        let name: String
        let type: String
        /// The name of the schema to which the type refers, for a link; empty if there is none.
        let link: String
        let isRequired: Bool
        let description: String
    }

    private(set) var rows: [Row] = []

    /// - Parameter schema: the output of `SchemaWriter`.
    init(_ schema: JSON) {
        if let members = schema["properties"]?.object, !members.isEmpty {
            add(members, of: schema, prefix: "")
        } else {
            add(schema, name: "", isRequired: true)
        }
    }

    private mutating func add(_ members: JSONObject, of schema: JSON, prefix: String) {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        for member in members {
            add(member.value, name: prefix + member.name, isRequired: required.contains(member.name))
        }
        if let others = schema["additionalProperties"], others.object != nil {
            add(others, name: prefix + "…", isRequired: false)
        }
    }

    private mutating func add(_ schema: JSON, name: String, isRequired: Bool) {
        rows.append(
            Row(
                name: name, type: Self.type(schema), link: Self.reference(in: schema) ?? "",
                isRequired: isRequired,
                description: schema["description"]?.string ?? ""))
        if let members = schema["properties"]?.object {
            add(members, of: schema, prefix: name.isEmpty ? "" : name + ".")
        } else if let element = schema["items"], let members = element["properties"]?.object {
            add(members, of: element, prefix: name + "[].")
        } else if let others = schema["additionalProperties"], others.object?.isEmpty == false {
            add(others, name: name.isEmpty ? "…" : name + ".…", isRequired: false)
        }
    }

    /// The JSON type and its bounds in a few words.
    static func type(_ schema: JSON) -> String {
        if let name = reference(in: schema) { return schema["items"] == nil ? name : "list of \(name)" }
        if let alternatives = schema["anyOf"]?.array {
            return alternatives.map(type).joined(separator: " or ")
        }
        if let values = schema["enum"]?.array { return values.compactMap(\.string).joined(separator: " | ") }
        let kinds = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string ?? "any"]
        let kind = kinds.map { kind in kind == "array" ? "list of \(type(schema["items"] ?? [:]))" : kind }
        return ([kind.joined(separator: " or ")] + bounds(schema)).joined(separator: ", ")
    }

    private static func bounds(_ schema: JSON) -> [String] {
        var bounds: [String] = []
        if let format = schema["format"]?.string { bounds.append(format) }
        let range = (schema["minimum"]?.double, schema["maximum"]?.double)
        let isWide = range.0 == -9_007_199_254_740_991 && range.1 == 9_007_199_254_740_991
        if !isWide, range.0 != nil || range.1 != nil {
            let minimum = schema["minimum"]?.text ?? ""
            let maximum = range.1 == 9_007_199_254_740_991 ? "" : schema["maximum"]?.text ?? ""
            bounds.append("\(minimum)…\(maximum)")
        }
        if let minimum = schema["minLength"]?.int ?? schema["minItems"]?.int {
            bounds.append("at least \(minimum)")
        }
        if let maximum = schema["maxLength"]?.int ?? schema["maxItems"]?.int {
            bounds.append("at most \(maximum)")
        }
        return bounds
    }

    /// The name of the schema to which this schema, its elements or one of its alternatives refers.
    private static func reference(in schema: JSON) -> String? {
        let candidates = [schema, schema["items"]].compactMap { $0 } + (schema["anyOf"]?.array ?? [])
        return candidates.compactMap { $0["$ref"]?.string?.split(separator: "/").last.map(String.init) }.first
    }
}
