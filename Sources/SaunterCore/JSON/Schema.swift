import Synchronization

/// The one description of a JSON value: it finds the faults of a value that came over the wire, and it writes itself as JSON Schema
/// 2020-12 for the published contract, so that the two cannot differ.
package struct Schema: Sendable {
    /// What the value may be.
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
        package let name: String
        package let schema: Schema
        package let isRequired: Bool

        /// A member that must be there.
        package static func required(_ name: String, _ schema: Schema, _ description: String? = nil) -> Member
        {
            Member(name: name, schema: schema.described(description), isRequired: true)
        }

        /// A member that may be left out. Null is not the same as absent: wrap in `.nullable` where null is taken, too.
        package static func optional(_ name: String, _ schema: Schema, _ description: String? = nil) -> Member
        {
            Member(name: name, schema: schema.described(description), isRequired: false)
        }
    }

    let shape: Shape
    /// For people, in English; goes into the published schema.
    package private(set) var description: String?

    init(_ shape: Shape) {
        self.shape = shape
    }

    /// The same, explained; nil keeps the explanation that is there.
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

    /// A whole number; `1.0` and `1e2` are whole, as JSON Schema has it. Always within ±(2^53 − 1).
    package static func integer(min: Int? = nil, max: Int? = nil) -> Schema {
        Schema(.integer(min: min, max: max))
    }

    /// A number that a double can hold.
    package static func number(min: Double? = nil, max: Double? = nil) -> Schema {
        Schema(.number(min: min, max: max))
    }

    /// A text. Lengths count Unicode scalars; `values`, where given, are the only ones that are taken.
    package static func string(
        minLength: Int = 0, maxLength: Int? = nil, format: StringFormat? = nil, values: [String] = []
    ) -> Schema {
        Schema(
            .string(StringRule(minLength: minLength, maxLength: maxLength, format: format, values: values)))
    }

    /// A list of values of one kind.
    package static func array(of element: Schema, min: Int = 0, max: Int? = nil) -> Schema {
        Schema(.array(of: element, min: min, max: max))
    }

    /// An object with these members and no others, unless `additional` says what others may be.
    package static func object(_ members: [Member], additional: Schema? = nil) -> Schema {
        Schema(.object(members, additional: additional))
    }

    /// An object with names of the sender's choice.
    package static func map(of value: Schema) -> Schema {
        Schema(.object([], additional: value))
    }

    /// The value, or null.
    package static func nullable(_ schema: Schema) -> Schema {
        Schema(.nullable(schema)).described(schema.description)
    }

    /// A value that fits at least one of these.
    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(.anyOf(schemas))
    }

    /// A schema that the published contract keeps under a name of its own and refers to. It is evaluated when it is needed first, so a
    /// schema may hold itself.
    package static func named(_ name: String, _ schema: @autoclosure @escaping @Sendable () -> Schema)
        -> Schema
    {
        let made = MadeOnce(schema)
        return Schema(.named(name) { made.schema })
    }
}

/// A schema that is made when it is asked for first, and then kept.
private final class MadeOnce: Sendable {
    private let make: @Sendable () -> Schema
    private let kept = Mutex<Schema?>(nil)

    init(_ make: @escaping @Sendable () -> Schema) {
        self.make = make
    }

    var schema: Schema {
        if let schema = kept.withLock({ $0 }) { return schema }
        // Without the lock: making it may ask for it.
        let schema = make()
        kept.withLock { $0 = schema }
        return schema
    }
}
