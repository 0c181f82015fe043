extension Item {
    /// How the answer to a question is stored. Groups and displays have no slot.
    package var slotKind: AnswerCodec.Slot.Kind {
        if isList || isRepeatingGroup { return .count }
        return repeats && type.form == .options ? .chosen : type.definition.slotKind
    }

    /// The slots of the item, in order.
    var slots: [AnswerCodec.Slot] {
        let kind = slotKind
        func slot(_ kind: AnswerCodec.Slot.Kind, _ option: Int? = nil) -> AnswerCodec.Slot {
            AnswerCodec.Slot(linkId: linkId, kind: kind, option: option)
        }
        guard kind == .chosen || kind == .rank else { return [slot(kind)] }
        return answerOption.indices.map { slot(kind, $0) } + (type.acceptsFreeText ? [slot(.freeText)] : [])
    }

    /// The number of elements of the item in `StoredAnswers.numbers`.
    var numberCount: Int {
        switch slotKind {
        case .number, .unit: 1
        case .location: Location.numberCount
        case .choice, .chosen, .boolean, .openChoice, .freeText, .rank, .count, .text: 0
        }
    }

    /// Restores the state of this item.
    /// - Parameters:
    ///   - slots: the slots of this item.
    ///   - numbers: the elements of this item in `StoredAnswers.numbers`.
    func state(
        slots: ArraySlice<Int16>, numbers: ArraySlice<Double?>, texts: [String: String],
        comparisons: [RepeatedAnswer] = []
    ) throws(StoredAnswersFault) -> AnswerState {
        let number = numbers.first ?? nil
        // A repeating item without options has no slot, and cannot be answered.
        guard let first = slots.first else { return .missing(.skipped) }
        // In a repeating choice, options that were not offered are blank, although others are chosen.
        if first < 0, slotKind != .chosen || !slots.contains(1) {
            guard let reason = MissingReason(rawValue: Int(first)), slots.allSatisfy({ $0 == first }) else {
                throw .slot(linkId: linkId)
            }
            return .missing(reason)
        }
        switch slotKind {
        case .choice:
            guard Int(first) < answerOption.count else { throw .slot(linkId: linkId) }
            return .answered(.option(answerOption[Int(first)].value))
        case .openChoice:
            guard Int(first) <= answerOption.count else { throw .slot(linkId: linkId) }
            if Int(first) < answerOption.count { return .answered(.option(answerOption[Int(first)].value)) }
            guard let freeText = texts[linkId] else { throw .text(linkId: linkId) }
            return .answered(.freeText(freeText))
        case .chosen, .freeText:
            let blank = Int16(MissingReason.notShown.rawValue)
            let count = slots.count { $0 == 1 }
            guard count > 0, slots.allSatisfy({ $0 == 0 || $0 == 1 || $0 == blank }) else {
                throw .slot(linkId: linkId)
            }
            var values: [OptionValue] = []
            values.reserveCapacity(count)
            for option in answerOption.indices where slots[slots.startIndex + option] == 1 {
                values.append(answerOption[option].value)
            }
            guard type.acceptsFreeText, slots.last == 1 else { return .answered(.options(values)) }
            guard let freeText = texts[linkId] else { throw .text(linkId: linkId) }
            return .answered(.optionsAndFreeText(values, freeText))
        case .unit:
            guard Int(first) < unitOption.count else { throw .slot(linkId: linkId) }
            guard let number, case .decimal(let value)? = ItemType.decimal.answer(storedNumber: number) else {
                throw .number(linkId: linkId)
            }
            return .answered(.quantity(Measure(value: value, unit: unitOption[Int(first)])))
        case .rank: return .answered(.ranking(try ranking(slots, comparisons)))
        case .count: throw .repeated(linkId: linkId)
        case .boolean:
            guard first <= 1 else { throw .slot(linkId: linkId) }
            return .answered(.boolean(first == 1))
        case .number:
            guard first == 0 else { throw .slot(linkId: linkId) }
            guard let answer = number.flatMap({ type.answer(storedNumber: $0) }) else {
                throw .number(linkId: linkId)
            }
            return .answered(answer)
        case .location:
            guard first == 0 else { throw .slot(linkId: linkId) }
            guard let location = Location(numbers: numbers) else { throw .number(linkId: linkId) }
            return .answered(.location(location))
        case .text:
            guard first == 0 else { throw .slot(linkId: linkId) }
            guard let text = texts[linkId] else { throw .text(linkId: linkId) }
            return .answered(.text(text))
        }
    }
}

extension Item {
    private func ranking(
        _ slots: ArraySlice<Int16>, _ rows: [RepeatedAnswer]
    ) throws(StoredAnswersFault) -> Ranking {
        let options = answerOption.map(\.value)
        let ranks = slots.map { Int($0) }
        guard ranks.allSatisfy({ (1...options.count).contains($0) }) else { throw .slot(linkId: linkId) }
        guard !rows.isEmpty else { return Ranking(options: options, ranks: ranks) }
        guard let comparisons = PairComparison.all(rows, options: options, outcome: "") else {
            throw .repeated(linkId: linkId)
        }
        let ranking = Ranking(options: options, comparisons: comparisons)
        guard ranking.ranks == ranks else { throw .repeated(linkId: linkId) }
        return ranking
    }
}

extension Ranking {
    /// The rows of all comparisons, in order.
    /// - Parameter code: the option code of the rows with the outcomes.
    func rows(of linkId: String, outcome code: String = "") -> [RepeatedAnswer] {
        comparisons.enumerated().flatMap { number, comparison in
            comparison.rows(of: linkId, instance: number + 1, outcome: code)
        }
    }
}

extension Answer {
    /// The elements of `StoredAnswers.numbers`; empty for answers that are stored differently.
    var storedNumbers: [Double?] {
        if case .location(let location) = self { return location.numbers }
        return storedNumber.map { [$0] } ?? []
    }

    /// The only element of `StoredAnswers.numbers`; nil for answers that are stored differently. It is exact, because
    /// integers are within ±2^53.
    package var storedNumber: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .quantity(let measure): measure.value
        case .date(let date): Double(date.days)
        case .time(let time): Double(time.seconds)
        case .dateTime(let instant): Double(instant.milliseconds)
        case .boolean, .text, .option, .options, .freeText, .optionsAndFreeText, .ranking, .location,
            .comparedWords, .list, .instances:
            nil
        }
    }
}

extension Item {
    /// Creates the rows of one instance of the item.
    /// - Parameters:
    ///   - withheld: the indices of options that were not offered in this instance.
    ///   - texts: receives the texts, which are not part of the rows.
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
        func optionRows(_ chosen: Set<String>) -> [RepeatedAnswer] {
            rowOptions.enumerated().map { index, option in
                if chosen.contains(option) { return row("1", option: option) }
                return withheld.contains(index)
                    ? row(nil, option: option, missing: .notShown) : row("0", option: option)
            }
        }
        func storeText(_ text: String) { texts[RepeatedAnswer.name(linkId, instance)] = text }
        switch answer {
        case .text(let text):
            storeText(text)
            return [row(nil)]
        case .freeText(let freeText):
            storeText(freeText)
            return [row(Self.otherCode)]
        case .options(let values): return optionRows(Set(values.map(\.text)))
        case .optionsAndFreeText(let values, let freeText):
            storeText(freeText)
            return optionRows(Set(values.map(\.text) + [Self.otherCode]))
        case .quantity(let measure):
            return [row(Answer.decimal(measure.value).datasetText), row(measure.unit, option: Self.unitCode)]
        case .location(let location):
            return zip(Location.rowOptions, location.numbers).map { option, number in
                row(number.map { Answer.decimal($0).datasetText }, option: option)
            }
        default: return [row(answer.datasetText)]
        }
    }

    /// The option code of free text.
    package static let otherCode = "other"
    /// The option code of a quantity's unit.
    package static let unitCode = "unit"

    private var rowOptions: [String] { type.definition.rowOptions(of: self) }

    /// Restores the state of one instance from its rows. Returns nil if the rows are impossible for this item.
    func state(_ rows: [RepeatedAnswer], text: String?) -> AnswerState? {
        guard rows.map(\.option) == rowOptions, let first = rows.first else { return nil }
        if let reason = first.missing, rows.allSatisfy({ $0.missing == reason && $0.value == nil }) {
            return .missing(reason)
        }
        guard rows.allSatisfy({ $0.missing == nil || $0.isNotOffered }) else { return nil }
        return type.definition.answer(to: self, rows: rows, text: text).map { .answered($0) }
    }
}

extension RepeatedAnswer {
    /// Whether this is the row of an option that was not offered.
    var isNotOffered: Bool { !option.isEmpty && value == nil && missing == .notShown }
}

extension Answer {
    /// One value as text, as in the dataset.
    package var datasetText: String {
        switch self {
        case .boolean(let value): value ? "1" : "0"
        case .time(let time): "\(time)".count == 5 ? "\(time):00" : "\(time)"
        default: json.string ?? json.text
        }
    }
}
