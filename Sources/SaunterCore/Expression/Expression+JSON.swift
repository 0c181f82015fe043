extension Expression {
    /// The checked expression as a tree, for clients that evaluate it without a parser.
    ///
    /// - A literal: `{"type": "number", "value": "2"}`. Numbers are decimal texts, so that no precision is lost. The
    ///   other types are `text`, `boolean`, `date`, `time`, `instant` and `blank`.
    /// - An item: `{"item": "unrest"}`.
    /// - An operation: `{"op": ">=", "args": […]}`, with the symbols of the language and the names of its functions.
    ///   Further operations are `not`, `negative` and `in` (the first argument is one of the others).
    package var tree: JSON { root.tree }
}

extension Expression.Term {
    fileprivate var tree: JSON {
        switch form {
        case .literal(let value): value.literal
        case .item(let name): ["item": .string(name)]
        case .call(let function, let arguments): Self.operation(function.rawValue, arguments)
        case .not(let term): Self.operation("not", [term])
        case .negative(let term): Self.operation("negative", [term])
        case .binary(let operation, let left, let right): Self.operation(operation.rawValue, [left, right])
        case .among(let term, let values): Self.operation("in", [term] + values)
        }
    }

    private static func operation(_ name: String, _ arguments: [Expression.Term]) -> JSON {
        ["op": .string(name), "args": .array(arguments.map(\.tree))]
    }
}

extension ExpressionValue {
    fileprivate var literal: JSON {
        switch self {
        case .blank: ["type": "blank"]
        case .boolean(let value): ["type": "boolean", "value": .bool(value)]
        case .number(let value): ["type": "number", "value": .string(JSON.double(value.double).text)]
        case .text(let value): ["type": "text", "value": .string(value)]
        case .date(let value): ["type": "date", "value": .string(value.description)]
        case .time(let value): ["type": "time", "value": .string(value.description)]
        case .instant(let value): ["type": "instant", "value": .string(value.description)]
        case .several(let values): ["type": "several", "value": .array(values.map(\.literal))]
        }
    }
}
