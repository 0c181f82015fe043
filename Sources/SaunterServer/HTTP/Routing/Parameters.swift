import SaunterCore

/// One `{name}` in the path of a route. A value that does not have the format gets 404, because no resource has such a
/// path.
package struct PathParameter: Sendable {
    /// The name in the braces.
    package let name: String
    /// The format of the value; nil for any text of 1 to 256 bytes.
    package let format: StringFormat?
    /// One sentence for the OpenAPI document.
    package let description: String
    /// For the reference page and its curl examples.
    package let example: String

    /// A UUID of 36 characters.
    package static func uuid(_ name: String, _ description: String) -> PathParameter {
        PathParameter(
            name: name, format: .uuid, description: description,
            example: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")
    }

    /// The code of a study, event or problem type.
    package static func code(_ name: String, _ description: String, example: String) -> PathParameter {
        PathParameter(name: name, format: .code, description: description, example: example)
    }

    /// Any text of 1 to 256 bytes, such as a one-time code.
    package static func text(_ name: String, _ description: String, example: String) -> PathParameter {
        PathParameter(name: name, format: nil, description: description, example: example)
    }

    /// Whether the value has the format.
    func accepts(_ value: String) -> Bool {
        guard let format else { return (1...256).contains(value.utf8.count) && !value.utf8.contains(0) }
        return format.accepts(value)
    }

    var schema: Schema { format.map { .string(format: $0) } ?? .string(minLength: 1, maxLength: 256) }
}

/// One parameter in the query of a route. It is always optional. A parameter that the route does not declare is
/// rejected; otherwise a misspelt filter would silently return all entries.
package struct QueryParameter: Sendable {
    /// The name in the query.
    package let name: String
    /// A string, integer, number or boolean, or a list of strings in the form `a,b,c`.
    package let schema: Schema
    /// One sentence for the OpenAPI document.
    package let description: String
    /// Whether the parameter may occur several times. `schema` then describes one value, and `Call.queryList` returns
    /// all.
    package let repeats: Bool

    /// Creates a parameter; by default it may occur once.
    package init(_ name: String, _ schema: Schema, _ description: String, repeats: Bool = false) {
        self.name = name
        self.schema = schema
        self.description = description
        self.repeats = repeats
    }

    /// `limit` of every list: 1 to 1000.
    package static let limit = QueryParameter(
        "limit", .integer(min: 1, max: 1000), "The maximum number of entries. The default is 100.")
    /// `cursor`, of every list.
    package static let cursor = QueryParameter(
        "cursor", .string(minLength: 1, maxLength: 512), "The value of next from the previous page.")
}
