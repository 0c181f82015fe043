import SaunterCore

/// A JSON Schema as rows of a table: one member each, nested ones by their path.
struct SchemaTable {
    /// One row, in the form that the page's template reads.
    struct Row {
        let name: String
        let type: String
        /// The named schema that it refers to, for a link; empty where it is none.
        let link: String
        let isRequired: Bool
        let description: String
    }

    private(set) var rows: [Row] = []

    /// The schema is as `SchemaWriter` writes it.
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

    /// The kind of value and its bounds, in a few words.
    static func type(_ schema: JSON) -> String {
        if let name = reference(in: schema) { return schema["items"] == nil ? name : "list of \(name)" }
        if let choices = schema["anyOf"]?.array { return choices.map(type).joined(separator: " or ") }
        if let values = schema["enum"]?.array { return values.compactMap(\.string).joined(separator: " | ") }
        let kinds = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string ?? "any"]
        let kind = kinds.map { kind in kind == "array" ? "list of \(type(schema["items"] ?? [:]))" : kind }
        return ([kind.joined(separator: " or ")] + bounds(schema)).joined(separator: ", ")
    }

    private static func bounds(_ schema: JSON) -> [String] {
        var bounds: [String] = []
        if let format = schema["format"]?.string { bounds.append(format) }
        let ends = (schema["minimum"]?.double, schema["maximum"]?.double)
        let isWide = ends.0 == -9_007_199_254_740_991 && ends.1 == 9_007_199_254_740_991
        if !isWide, ends.0 != nil || ends.1 != nil {
            let least = schema["minimum"]?.text ?? ""
            let most = ends.1 == 9_007_199_254_740_991 ? "" : schema["maximum"]?.text ?? ""
            bounds.append("\(least)…\(most)")
        }
        if let least = schema["minLength"]?.int ?? schema["minItems"]?.int {
            bounds.append("at least \(least)")
        }
        if let most = schema["maxLength"]?.int ?? schema["maxItems"]?.int { bounds.append("at most \(most)") }
        return bounds
    }

    /// The name of the schema that this one, an element of it or one of its choices refers to.
    private static func reference(in schema: JSON) -> String? {
        let places = [schema, schema["items"]].compactMap { $0 } + (schema["anyOf"]?.array ?? [])
        return places.compactMap { $0["$ref"]?.string?.split(separator: "/").last.map(String.init) }.first
    }
}
