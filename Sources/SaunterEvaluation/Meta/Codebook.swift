import SaunterCore

/// `meta/codebook.csv`: describes every column of every file.
struct Codebook {
    private static let header = [
        "file", "column", "position", "label", "question", "type", "unit", "value_set", "instrument", "item",
        "first_version",
        "last_version", "asked_when", "min", "max", "weights", "reverse_scored", "scales", "identifier_class",
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
        let description = ItemDescription(of: column, definitions)
        let scales = description?.scales ?? []
        return [
            table.path(format), column.name, String(position), column.label, description?.question,
            column.type.rawValue, column.unit, column.valueSet,
            item?.instrument ?? table.instrument, item?.linkId, item?.appearances.first?.version,
            item?.appearances.last?.version, description?.askedWhen,
            description?.range?.minimum, description?.range?.maximum, description?.weights,
            description.map { $0.isReversed ? "1" : "0" },
            scales.isEmpty ? nil : scales.joined(separator: " "), column.identifierClass.rawValue,
            column.treatment(in: profile).rawValue,
            column.source.rawValue, column.derivedFrom,
        ]
    }
}

/// What the newest version of an instrument states about the item of a column.
struct ItemDescription {
    private let history: ItemHistory
    private let column: Column
    private let newest: Questionnaire?
    private let language: String

    /// Nil if the column has no item.
    init?(of column: Column, _ definitions: StudyDefinitions) {
        guard let history = column.item else { return nil }
        self.history = history
        self.column = column
        newest = definitions.instruments.first { $0.code == history.instrument }
            .flatMap { history.lastVersion(of: $0) }
        language = definitions.language
    }

    /// The words of the question, with its end labels.
    var question: String? { newest?.text(in: language).question(history.linkId) }

    /// The conditions under which the question, or the option of the column, is shown.
    var askedWhen: String? { AskedWhen.text(of: history.linkId, option: column.option, in: newest) }

    /// The scales that contain the item.
    var scales: [String] { keyScales.map(\.id) }

    /// Whether some scale reverses the item.
    var isReversed: Bool { keyScales.contains { $0.reverse.contains(history.linkId) } }

    private var keyScales: [Scale] {
        newest?.scoring?.scales.filter { $0.items.contains(history.linkId) } ?? []
    }

    /// What the options of the column count in scores, if some of them have separate weights: `1=0 2=0.5`. A column of
    /// one option has its weight alone.
    var weights: String? {
        let weighted = history.rankedOptions.filter { $0.weight != nil }
        if let option = column.option {
            return weighted.first { $0.value == option }?.weight?.shortest
        }
        let pairs = weighted.compactMap { option in
            option.weight.map { "\(option.value.text)=\($0.shortest)" }
        }
        return pairs.isEmpty || column.valueSet == nil ? nil : pairs.joined(separator: " ")
    }

    /// The smallest and the largest value that the item permits.
    var range: (minimum: String?, maximum: String?)? {
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
