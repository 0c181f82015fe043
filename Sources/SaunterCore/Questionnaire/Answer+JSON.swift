extension OptionValue {
    /// The value as text: the key of its label, and of its column in a wide table.
    package var text: String {
        switch self {
        case .integer(let value): String(value)
        case .code(let code): code
        }
    }

    /// A JSON number or string.
    package var json: JSON {
        switch self {
        case .integer(let value): .int(value)
        case .code(let code): .string(code)
        }
    }
}

extension Answer {
    /// The wire form: a JSON scalar, or a list for a repeating item. Dates and times are strings, instants
    /// RFC 3339 in UTC. Own words are `{"other": …}`, quantities `{"value": …, "unit": …}`; a ranking is its options,
    /// the first one first, or the comparisons that were made, each as it was handed in; an instance of a group is an object.
    package var json: JSON {
        switch self {
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .decimal(let value): .double(value)
        case .text(let value): .string(value)
        case .date(let value): .string(value.description)
        case .time(let value): .string(value.description)
        case .dateTime(let value): .string(value.description)
        case .option(let value): value.json
        case .options(let values): .array(values.map(\.json))
        case .words(let words): ["other": .string(words)]
        case .optionsAndWords(let values, let words): .array(values.map(\.json) + [["other": .string(words)]])
        case .quantity(let measure): ["value": .double(measure.value), "unit": .string(measure.unit)]
        case .ranking(let ranking): ranking.json
        case .list(let answers): .array(answers.map(\.json))
        case .instances(let instances): .array(instances.map { .object($0.json) })
        }
    }
}

extension MissingReason {
    /// The reason of a text code of the dataset; nil for any other text.
    package init?(code: String) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }
}
