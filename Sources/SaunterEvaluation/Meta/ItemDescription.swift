import SaunterCore

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
        if item.type.form == .options {
            let values = history.options.compactMap(\.value.number)
            guard let minimum = values.min(), let maximum = values.max() else { return nil }
            return (String(minimum), String(maximum))
        }
        return (item.minValue?.shortest, item.maxValue?.shortest)
    }
}
