import SaunterCore

/// `meta/codebook.csv`: describes every column of every file.
struct Codebook {
    private static let header = [
        "file", "column", "position", "label", "question", "type", "unit", "value_set", "instrument", "item",
        "first_version",
        "last_version", "asked_when", "min", "max", "reverse_scored", "scales", "identifier_class",
        "treatment", "source",
        "derived_from",
    ]

    let tables: [Table]
    let definitions: StudyDefinitions
    let profile: DatasetProfile

    var csv: [UInt8] {
        var text = CSVText(header: Self.header)
        for table in tables {
            for format in table.formats {
                for (index, column) in table.columns.enumerated() {
                    text.add(row(table, format, column, position: index + 1))
                }
            }
        }
        return text.bytes
    }

    private func row(_ table: Table, _ format: TableFormat, _ column: Column, position: Int) -> [String?] {
        let item = column.item
        let newest = item.flatMap { item in definitions.instruments.first { $0.code == item.instrument } }
            .flatMap { instrument in item?.lastVersion(of: instrument) }
        let scales =
            newest?.scoring?.scales.filter { scale in item.map { scale.items.contains($0.linkId) } ?? false }
            ?? []
        let isReversed = scales.contains { scale in item.map { scale.reverse.contains($0.linkId) } ?? false }
        let range = item.flatMap { Self.range($0, column) }
        return [
            table.path(format), column.name, String(position), column.label,
            item.flatMap { newest?.text(in: definitions.language).question($0.linkId) }, column.type.rawValue,
            column.unit,
            column.valueSet,
            item?.instrument ?? table.instrument, item?.linkId, item?.appearances.first?.version,
            item?.appearances.last?.version,
            item.flatMap { AskedWhen.text(of: $0.linkId, option: column.option, in: newest) },
            range?.minimum, range?.maximum,
            item == nil ? nil : isReversed ? "1" : "0",
            scales.isEmpty ? nil : scales.map(\.id).joined(separator: " "), column.identifierClass.rawValue,
            column.treatment(in: profile).rawValue,
            column.source.rawValue, column.derivedFrom,
        ]
    }

    /// The smallest and the largest value that the item permits.
    private static func range(_ history: ItemHistory, _ column: Column) -> (
        minimum: String?, maximum: String?
    )? {
        guard column.type == .integer || column.type == .number else { return nil }
        let item = history.newest
        if item.type == .choice {
            let values = history.options.compactMap {
                if case .integer(let value) = $0.value { value } else { nil }
            }
            guard let minimum = values.min(), let maximum = values.max() else { return nil }
            return (String(minimum), String(maximum))
        }
        return (item.minValue?.shortest, item.maxValue?.shortest)
    }
}

/// Describes the display conditions of an item in words.
enum AskedWhen {
    /// The conditions of the enclosing groups, of the item, and of the option, joined by "and". Nil if there are no
    /// conditions.
    static func text(of linkId: String, option: OptionValue? = nil, in questionnaire: Questionnaire?)
        -> String?
    {
        guard let questionnaire, let path = path(to: linkId, questionnaire.item) else { return nil }
        var parts: [String] = path.flatMap { item in
            [joined(item.enableWhen, item.enableBehavior), item.enableWhenExpression].compactMap(\.self)
        }
        if let offered = path.last?.answerOption.first(where: { $0.value == option }),
            let conditions = joined(offered.enableWhen, offered.enableBehavior)
        {
            parts.append(conditions)
        }
        guard !parts.isEmpty else { return nil }
        return parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " and ")
    }

    /// The path from the outermost group to the item, including both.
    static func path(to linkId: String, _ items: [Item]) -> [Item]? {
        for item in items {
            if item.linkId == linkId { return [item] }
            if let rest = path(to: linkId, item.item) { return [item] + rest }
        }
        return nil
    }

    private static func joined(_ conditions: [Condition], _ behaviour: EnableBehavior) -> String? {
        conditions.isEmpty
            ? nil : conditions.map(phrase).joined(separator: behaviour == .any ? " or " : " and ")
    }

    /// One condition as a phrase.
    static func phrase(_ condition: Condition) -> String {
        if condition.comparison == .exists {
            return "\(condition.question) is \(condition.answer == .boolean(false) ? "not " : "")answered"
        }
        let value = condition.answer.json
        return "\(condition.question) \(condition.comparison.rawValue) \(value.string ?? value.text)"
    }
}
