/// The values of a statement's parameters.
///
/// A statement from a file takes them by name, in any order: `["enrolment_id": .id(id), "now": .instant(now)]`. A
/// statement in Swift code takes them by position, as an array literal for `$1`, `$2`, ….
package struct Arguments: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// The values in the order of the caller. `name` is nil for a positional value.
    fileprivate(set) var values: [(name: String?, value: Parameter)]

    /// Creates named values.
    package init(dictionaryLiteral elements: (String, Parameter)...) {
        values = elements.map { ($0.0, $0.1) }
    }

    /// Creates positional values.
    package init(arrayLiteral elements: Parameter...) {
        self.init(elements)
    }

    /// Creates positional values.
    package init(_ parameters: [Parameter]) {
        values = parameters.map { (nil, $0) }
    }

    /// The values of `first`, followed by those of `second`.
    package static func + (first: Arguments, second: Arguments) -> Arguments {
        var all = first
        all.values += second.values
        return all
    }
}

extension Statement {
    /// The values in the order of the statement's parameters.
    /// - Throws: `DatabaseError.Kind.misuse`. It names each parameter without a value, each value without a parameter,
    ///   and each parameter that occurs twice.
    package func parameters(from arguments: Arguments) throws(DatabaseError) -> [Parameter] {
        guard cardinality != nil else {
            guard arguments.values.allSatisfy({ $0.name == nil }) else {
                throw DatabaseError(
                    .misuse("a statement without a file takes its values by position"), statement: name)
            }
            return arguments.values.map(\.value)
        }
        // A fast path, because most callers use the declared order.
        if arguments.values.count == parameters.count,
            zip(arguments.values, parameters).allSatisfy({ $0.name == $1.name })
        {
            return arguments.values.map(\.value)
        }
        var byName: [String: Parameter] = [:]
        var faults: [String] = []
        for (name, value) in arguments.values {
            guard let name else {
                faults.append("a value has no name")
                continue
            }
            if !parameters.contains(where: { $0.name == name }) {
                faults.append("\(name) is not a parameter")
            }
            if byName.updateValue(value, forKey: name) != nil { faults.append("\(name) is given twice") }
        }
        let ordered = parameters.compactMap { parameter -> Parameter? in
            if byName[parameter.name] == nil { faults.append("\(parameter.name) has no value") }
            return byName[parameter.name]
        }
        guard faults.isEmpty else {
            throw DatabaseError(.misuse(faults.joined(separator: ", ")), statement: name)
        }
        return ordered
    }
}
