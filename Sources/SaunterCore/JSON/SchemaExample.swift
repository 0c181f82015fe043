extension Schema {
    /// An example that matches the schema, for documentation. It also contains optional members.
    /// - Parameter values: known values by member name. A value is used if it matches the schema of the member. Null
    ///   omits an optional member that cannot be null.
    package func example(_ values: [String: JSON]) -> JSON {
        SchemaExample(values: values).example(self, of: "", within: [])
    }
}

/// Writes an example of a schema, recursively.
private struct SchemaExample {
    let values: [String: JSON]

    /// - Parameters:
    ///   - name: the name of the member that has the schema; empty if there is none.
    ///   - open: the named schemas around this one. A schema that contains itself ends with an empty object.
    func example(_ schema: Schema, of name: String, within open: Set<String>) -> JSON {
        if let known = values[name], schema.faults(in: known).isEmpty { return known }
        return switch schema.shape {
        case .any: [:]
        case .boolean: true
        case .integer(let minimum, let maximum): .int(min(max(1, minimum ?? 1), maximum ?? 1))
        case .number(let minimum, let maximum): .double(min(max(1, minimum ?? 1), maximum ?? 1))
        case .string(let rule): .string(text(rule))
        case .array(let element, let minimum, _):
            .array(Array(repeating: example(element, of: "", within: open), count: max(1, minimum)))
        case .object(let members, let additional): object(members, additional, open)
        case .nullable(let inner): example(inner, of: name, within: open)
        case .anyOf(let choices): example(Self.specific(choices), of: name, within: open)
        case .named(let own, let inner):
            open.contains(own) ? [:] : example(inner(), of: name, within: open.union([own]))
        }
    }

    private func object(_ members: [Schema.Member], _ additional: Schema?, _ open: Set<String>) -> JSON {
        if members.isEmpty, let additional { return ["name": example(additional, of: "", within: open)] }
        return .object(
            JSONObject(
                members.filter { !isOmitted($0) }.map { member in
                    JSONObject.Member(
                        name: member.name, value: example(member.schema, of: member.name, within: open))
                }))
    }

    private func isOmitted(_ member: Schema.Member) -> Bool {
        !member.isRequired && values[member.name] == .null && !member.schema.faults(in: .null).isEmpty
    }

    private func text(_ rule: StringRule) -> String {
        if let value = rule.values.first ?? rule.format?.example { return value }
        return "text".padding(toLength: rule.minLength)
    }

    /// The named choice, because a general one such as `any` shows nothing; otherwise the first choice.
    private static func specific(_ choices: [Schema]) -> Schema {
        let named = choices.first { if case .named = $0.shape { true } else { false } }
        return named ?? choices.first ?? .any
    }
}

extension String {
    /// The text, with dots at its end if it is shorter than `length`.
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: ".", count: max(0, length - count))
    }
}

extension StringFormat {
    /// A text that has the format.
    fileprivate var example: String {
        switch self {
        case .uuid: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40"
        case .dateTime: "2026-11-21T08:00:00.000Z"
        case .date: "2026-11-21"
        case .time: "08:30"
        case .email: "ada@example.org"
        case .zone: "Europe/Berlin"
        case .language: "en"
        case .uri: "https://example.org/saunter"
        case .code: "mindful-walking"
        case .line: "Ada"
        case .password: "correct horse battery"
        }
    }
}
