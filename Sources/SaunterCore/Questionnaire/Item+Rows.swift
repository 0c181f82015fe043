/// The rows of one instance of an item, and back.
extension Item {
    /// - Parameters:
    ///   - withheld: the places of options that were not offered in this instance.
    ///   - texts: takes up texts, which stand apart from the rows.
    func rows(
        of state: AnswerState, instance: Int, withheld: Set<Int> = [], texts: inout [String: String]
    ) -> [RepeatedAnswer] {
        func row(_ value: String?, option: String = "", missing: MissingReason? = nil) -> RepeatedAnswer {
            RepeatedAnswer(
                linkId: linkId, instance: instance, option: option, type: type.storedName, value: value,
                missing: missing)
        }
        guard case .answered(let answer) = state else {
            guard case .missing(let reason) = state else { return [] }
            return rowOptions.map { row(nil, option: $0, missing: reason) }
        }
        func each(_ chosen: Set<String>) -> [RepeatedAnswer] {
            rowOptions.enumerated().map { place, option in
                if chosen.contains(option) { return row("1", option: option) }
                return withheld.contains(place)
                    ? row(nil, option: option, missing: .notShown) : row("0", option: option)
            }
        }
        func note(_ text: String) { texts[RepeatedAnswer.name(linkId, instance)] = text }
        switch answer {
        case .text(let text):
            note(text)
            return [row(nil)]
        case .words(let words):
            note(words)
            return [row(Self.otherCode)]
        case .options(let values): return each(Set(values.map(\.text)))
        case .optionsAndWords(let values, let words):
            note(words)
            return each(Set(values.map(\.text) + [Self.otherCode]))
        case .quantity(let measure):
            return [row(Answer.decimal(measure.value).rowText), row(measure.unit, option: Self.unitCode)]
        default: return [row(answer.rowText)]
        }
    }

    /// What the option of the own words is called, and that of a quantity's unit.
    package static let otherCode = "other"
    package static let unitCode = "unit"

    /// The options of which each has a row.
    private var rowOptions: [String] {
        switch type {
        case .choice where repeats: answerOption.map(\.value.text)
        case .openChoice where repeats: answerOption.map(\.value.text) + [Self.otherCode]
        case .quantity: ["", Self.unitCode]
        default: [""]
        }
    }

    /// Reads the rows of one instance back; nil for such as this item cannot have.
    func state(_ rows: [RepeatedAnswer], text: String?) -> AnswerState? {
        guard rows.map(\.option) == rowOptions, let first = rows.first else { return nil }
        if let reason = first.missing, rows.allSatisfy({ $0.missing == reason && $0.value == nil }) {
            return .missing(reason)
        }
        guard rows.allSatisfy({ $0.missing == nil || $0.isWithheld }) else { return nil }
        return answer(rows, first.value, text).map { .answered($0) }
    }

    private func answer(_ rows: [RepeatedAnswer], _ value: String?, _ text: String?) -> Answer? {
        switch type {
        case .string, .text: return text.map { .text($0) }
        case .choice, .openChoice:
            guard repeats else {
                if type == .openChoice, value == Self.otherCode, let text { return .words(text) }
                return answerOption.first { $0.value.text == value }.map { .option($0.value) }
            }
            guard rows.allSatisfy({ $0.value == "0" || $0.value == "1" || $0.isWithheld }) else { return nil }
            let chosen = Set(rows.filter { $0.value == "1" }.map(\.option))
            let values = answerOption.map(\.value).filter { chosen.contains($0.text) }
            if type == .openChoice, chosen.contains(Self.otherCode) {
                return text.map { .optionsAndWords(values, $0) }
            }
            return values.isEmpty ? nil : .options(values)
        case .boolean: return value == "1" ? .boolean(true) : value == "0" ? .boolean(false) : nil
        case .integer: return value.flatMap { Int($0) }.map { .integer($0) }
        case .decimal: return value.flatMap { Double($0) }.map { .decimal($0) }
        case .quantity:
            guard let number = value.flatMap({ Double($0) }), let unit = rows.last?.value else { return nil }
            return .quantity(Measure(value: number, unit: unit))
        case .date: return value.flatMap { LocalDate($0) }.map { .date($0) }
        case .time: return value.flatMap { LocalTime($0) }.map { .time($0) }
        case .dateTime: return value.flatMap { Instant($0) }.map { .dateTime($0) }
        case .group, .display, .ranking: return nil
        }
    }
}

extension RepeatedAnswer {
    /// The row of an option that was not offered, among those of others that were.
    fileprivate var isWithheld: Bool { !option.isEmpty && value == nil && missing == .notShown }
}

extension Answer {
    /// One value as it stands in the dataset.
    package var rowText: String {
        switch self {
        case .boolean(let value): value ? "1" : "0"
        case .time(let time): "\(time)".count == 5 ? "\(time):00" : "\(time)"
        default: json.string ?? json.text
        }
    }
}
