extension Item {
    /// How a question is stored. Groups and displays have no slot.
    var slotKind: AnswerCodec.Slot.Kind {
        if isList || isRepeatingGroup { return .count }
        return switch type {
        case .choice: repeats ? .chosen : .choice
        case .openChoice: repeats ? .chosen : .openChoice
        case .ranking: .rank
        case .quantity: .unit
        case .boolean: .boolean
        case .integer, .decimal, .date, .dateTime, .time: .number
        case .group, .display, .string, .text: .text
        }
    }

    /// The kinds of its slots, in order, each with the option that it is about.
    var slots: [AnswerCodec.Slot] {
        let kind = slotKind
        func slot(_ kind: AnswerCodec.Slot.Kind, _ option: Int? = nil) -> AnswerCodec.Slot {
            AnswerCodec.Slot(linkId: linkId, kind: kind, option: option)
        }
        guard kind == .chosen || kind == .rank else { return [slot(kind)] }
        return answerOption.indices.map { slot(kind, $0) } + (type == .openChoice ? [slot(.words)] : [])
    }

    /// Whether a number is stored with its slot.
    var hasNumber: Bool { slotKind == .number || slotKind == .unit }

    /// Reads back the state of this item.
    /// - Parameter slots: this item's own slots.
    func state(
        slots: ArraySlice<Int16>, number: Double?, texts: [String: String], comparisons: [RepeatedAnswer] = []
    ) throws(StoredAnswersFault) -> AnswerState {
        // A repeating item without options has no slot; nothing can have been answered.
        guard let first = slots.first else { return .missing(.skipped) }
        // Options that were not offered are blank among those that were.
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
            guard let words = texts[linkId] else { throw .text(linkId: linkId) }
            return .answered(.words(words))
        case .chosen, .words:
            let blank = Int16(MissingReason.notShown.rawValue)
            guard slots.allSatisfy({ $0 == 0 || $0 == 1 || $0 == blank }), slots.contains(1) else {
                throw .slot(linkId: linkId)
            }
            let values = zip(answerOption, slots).filter { $0.1 == 1 }.map(\.0.value)
            guard type == .openChoice, slots.last == 1 else { return .answered(.options(values)) }
            guard let words = texts[linkId] else { throw .text(linkId: linkId) }
            return .answered(.optionsAndWords(values, words))
        case .unit:
            guard Int(first) < unitOption.count else { throw .slot(linkId: linkId) }
            guard case .decimal(let value)? = number.flatMap({ Answer(storedNumber: $0, type: .decimal) })
            else { throw .number(linkId: linkId) }
            return .answered(.quantity(Measure(value: value, unit: unitOption[Int(first)])))
        case .rank: return .answered(.ranking(try ranking(slots, comparisons)))
        case .count: throw .repeated(linkId: linkId)
        case .boolean:
            guard first <= 1 else { throw .slot(linkId: linkId) }
            return .answered(.boolean(first == 1))
        case .number:
            guard first == 0 else { throw .slot(linkId: linkId) }
            guard let answer = number.flatMap({ Answer(storedNumber: $0, type: type) }) else {
                throw .number(linkId: linkId)
            }
            return .answered(answer)
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
        var comparisons: [PairComparison] = []
        var rest = rows[...]
        while let instance = rest.first?.instance {
            let own = rest.prefix { $0.instance == instance }
            rest = rest.dropFirst(own.count)
            guard let comparison = PairComparison(Array(own), options: options) else {
                throw .repeated(linkId: linkId)
            }
            comparisons.append(comparison)
        }
        let ranking = Ranking(options: options, comparisons: comparisons)
        guard ranking.ranks == ranks else { throw .repeated(linkId: linkId) }
        return ranking
    }
}

extension Ranking {
    /// The comparisons one after the other.
    func rows(of linkId: String) -> [RepeatedAnswer] {
        comparisons.enumerated().flatMap { number, comparison in
            comparison.rows(of: linkId, instance: number + 1)
        }
    }
}

extension Answer {
    /// The number of `StoredAnswers.numbers`; nil for answers that are stored otherwise. Exact, because
    /// integers stay within 2^53.
    var storedNumber: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .quantity(let measure): measure.value
        case .date(let date): Double(date.days)
        case .time(let time): Double(time.seconds)
        case .dateTime(let instant): Double(instant.milliseconds)
        case .boolean, .text, .option, .options, .words, .optionsAndWords, .ranking, .list, .instances: nil
        }
    }

    /// Nil for a number that an item of this type cannot have, such as NaN or half a day.
    package init?(storedNumber value: Double, type: ItemType) {
        guard value.isFinite, abs(value) <= 9_007_199_254_740_991 else { return nil }
        if type == .decimal {
            self = .decimal(value)
            return
        }
        guard let whole = Int(exactly: value) else { return nil }
        switch type {
        case .integer: self = .integer(whole)
        case .date:
            guard LocalDate(days: whole).days == whole else { return nil }
            self = .date(LocalDate(days: whole))
        case .time:
            guard let time = LocalTime(seconds: whole) else { return nil }
            self = .time(time)
        case .dateTime:
            guard Instant(milliseconds: Int64(whole)).milliseconds == Int64(whole) else { return nil }
            self = .dateTime(Instant(milliseconds: Int64(whole)))
        default: return nil
        }
    }
}
