import Synchronization

/// The description of a JSON value. It validates a value that a client sends, and it is published as JSON Schema
/// 2020-12. Both come from the same description, so they cannot differ.
package struct Schema: Sendable {
    /// The permitted values.
    indirect enum Shape: Sendable {
        case any
        case boolean
        case integer(min: Int?, max: Int?)
        case number(min: Double?, max: Double?)
        case string(StringRule)
        case array(of: Schema, min: Int, max: Int?)
        case object([Member], additional: Schema?)
        case nullable(Schema)
        case anyOf([Schema])
        case named(String, @Sendable () -> Schema)
    }

    /// One member of an object.
    package struct Member: Sendable {
        /// The name of the member.
        package let name: String
        /// The schema of its value.
        package let schema: Schema
        /// Whether the object must have the member.
        package let isRequired: Bool

        /// A required member.
        package static func required(_ name: String, _ schema: Schema, _ description: String? = nil) -> Member
        {
            Member(name: name, schema: schema.described(description), isRequired: true)
        }

        /// An optional member. Null is not the same as absent: use `.nullable` if null is permitted too.
        package static func optional(_ name: String, _ schema: Schema, _ description: String? = nil) -> Member
        {
            Member(name: name, schema: schema.described(description), isRequired: false)
        }
    }

    let shape: Shape
    /// The explanation for people, in English. The published schema contains it.
    package private(set) var description: String?

    init(_ shape: Shape) {
        self.shape = shape
    }

    /// The same schema with an explanation. Nil keeps the existing explanation.
    package func described(_ text: String?) -> Schema {
        var schema = self
        schema.description = text ?? description
        return schema
    }
}

extension Schema {
    /// Any JSON value.
    package static let any = Schema(.any)

    /// True or false.
    package static let boolean = Schema(.boolean)

    /// A whole number within ±(2^53 − 1). `1.0` and `1e2` are whole, as in JSON Schema.
    package static func integer(min: Int? = nil, max: Int? = nil) -> Schema {
        Schema(.integer(min: min, max: max))
    }

    /// A number within the range of a `Double`.
    package static func number(min: Double? = nil, max: Double? = nil) -> Schema {
        Schema(.number(min: min, max: max))
    }

    /// A string. Lengths count Unicode scalars. If `values` is not empty, only these values are permitted.
    package static func string(
        minLength: Int = 0, maxLength: Int? = nil, format: StringFormat? = nil, values: [String] = []
    ) -> Schema {
        Schema(
            .string(StringRule(minLength: minLength, maxLength: maxLength, format: format, values: values)))
    }

    /// An array whose elements all have the same schema.
    package static func array(of element: Schema, min: Int = 0, max: Int? = nil) -> Schema {
        Schema(.array(of: element, min: min, max: max))
    }

    /// An object with these members. Other members are rejected, unless `additional` describes them.
    package static func object(_ members: [Member], additional: Schema? = nil) -> Schema {
        Schema(.object(members, additional: additional))
    }

    /// An object whose member names the client chooses.
    package static func map(of value: Schema) -> Schema {
        Schema(.object([], additional: value))
    }

    /// The value or null.
    package static func nullable(_ schema: Schema) -> Schema {
        Schema(.nullable(schema)).described(schema.description)
    }

    /// A value that matches at least one of these schemas.
    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(.anyOf(schemas))
    }

    /// A schema that the published document contains once, under this name, and refers to. The schema is created at its
    /// first use, so it may refer to itself.
    package static func named(_ name: String, _ schema: @autoclosure @escaping @Sendable () -> Schema)
        -> Schema
    {
        let lazy = LazySchema(schema)
        return Schema(.named(name) { lazy.schema })
    }
}

/// A schema that is created at its first use, and then kept.
private final class LazySchema: Sendable {
    private let make: @Sendable () -> Schema
    private let created = Mutex<Schema?>(nil)

    init(_ make: @escaping @Sendable () -> Schema) {
        self.make = make
    }

    var schema: Schema {
        if let schema = created.withLock({ $0 }) { return schema }
        // Creates the schema outside the lock, because a recursive schema asks for itself here.
        let schema = make()
        created.withLock { $0 = schema }
        return schema
    }
}

extension Schema {
    /// Converts the text of a query parameter to the JSON value that this schema expects: `10` becomes a number, and
    /// `a,b` becomes an array. A text that cannot be converted stays a string, and validation then rejects it.
    package func value(ofQueryText text: String) -> JSON {
        switch shape {
        case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
        case .integer, .number: Self.number(text) ?? .string(text)
        case .array(let element, _, _):
            .array(
                text.split(separator: ",", omittingEmptySubsequences: false)
                    .map { element.value(ofQueryText: String($0)) })
        case .nullable(let inner): inner.value(ofQueryText: text)
        case .named(_, let inner): inner().value(ofQueryText: text)
        case .any, .string, .object, .anyOf: .string(text)
        }
    }

    /// Parses a number in JSON's grammar. `0x10`, `nan` and ` 1` are not numbers.
    private static func number(_ text: String) -> JSON? {
        guard text.utf8.count <= 40, case .number(let number)? = try? JSONReader.read(text) else {
            return nil
        }
        return number.literal == text ? .number(number) : nil
    }
}
