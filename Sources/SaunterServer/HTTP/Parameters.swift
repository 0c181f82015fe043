import SaunterCore

/// One `{name}` of a route's path. A value that does not have the form names nothing, so it is answered 404.
package struct PathParameter: Sendable {
    package let name: String
    package let format: StringFormat?
    package let description: String
    /// For the reference page and its curl lines.
    package let example: String

    /// An id of 36 characters.
    package static func uuid(_ name: String, _ description: String) -> PathParameter {
        PathParameter(
            name: name, format: .uuid, description: description,
            example: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")
    }

    /// The code of a study, questionnaire or problem.
    package static func code(_ name: String, _ description: String, example: String) -> PathParameter {
        PathParameter(name: name, format: .code, description: description, example: example)
    }

    /// Any text of 1 to 256 bytes, such as a one-time code.
    package static func text(_ name: String, _ description: String, example: String) -> PathParameter {
        PathParameter(name: name, format: nil, description: description, example: example)
    }

    func takes(_ value: String) -> Bool {
        guard let format else { return (1...256).contains(value.utf8.count) && !value.utf8.contains(0) }
        return format.takes(value)
    }

    var schema: Schema { format.map { .string(format: $0) } ?? .string(minLength: 1, maxLength: 256) }
}

/// One parameter of a route's query. Always optional; a parameter that no route declares is a fault, because a misspelt filter would
/// silently give everything.
package struct QueryParameter: Sendable {
    package let name: String
    /// A string, integer, number or boolean, or a list of strings given as `a,b,c`.
    package let schema: Schema
    package let description: String
    /// It may be given several times; `schema` is that of one, and `Call.queryList` gives all.
    package let repeats: Bool

    package init(_ name: String, _ schema: Schema, _ description: String, repeats: Bool = false) {
        self.name = name
        self.schema = schema
        self.description = description
        self.repeats = repeats
    }

    /// `limit`, 1 to 1000, of every list.
    package static let limit = QueryParameter(
        "limit", .integer(min: 1, max: 1000), "At most this many entries; 100 when left out.")
    /// `cursor`, of every list.
    package static let cursor = QueryParameter(
        "cursor", .string(minLength: 1, maxLength: 512), "The next of the page before.")
}
