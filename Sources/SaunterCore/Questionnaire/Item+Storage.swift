extension Item {
    /// How a question is stored. Groups and displays have no slot.
    var slotKind: AnswerCodec.Slot.Kind {
        switch type {
        case .choice: repeats ? .chosen : .choice
        case .boolean: .boolean
        case .integer, .decimal, .date, .dateTime, .time: .number
        case .group, .display, .string, .text: .text
        }
    }

    /// Reads back the state of this item.
    /// - Parameter slots: this item's own slots.
    func state(
        slots: ArraySlice<Int16>, number: Double?, texts: [String: String]
    ) throws(StoredAnswersFault) -> AnswerState {
        // A repeating item without options has no slot; nothing can have been answered.
        guard let first = slots.first else { return .missing(.skipped) }
        if first < 0 {
            guard let reason = MissingReason(rawValue: Int(first)), slots.allSatisfy({ $0 == first }) else {
                throw .slot(linkId: linkId)
            }
            return .missing(reason)
        }
        switch slotKind {
        case .choice:
            guard Int(first) < answerOption.count else { throw .slot(linkId: linkId) }
            return .answered(.option(answerOption[Int(first)].value))
        case .chosen:
            guard slots.allSatisfy({ $0 == 0 || $0 == 1 }), slots.contains(1) else {
                throw .slot(linkId: linkId)
            }
            return .answered(.options(zip(answerOption, slots).filter { $0.1 == 1 }.map(\.0.value)))
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

extension Answer {
    /// The number of `StoredAnswers.numbers`; nil for answers that are stored otherwise. Exact, because
    /// integers stay within 2^53.
    var storedNumber: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .date(let date): Double(date.days)
        case .time(let time): Double(time.seconds)
        case .dateTime(let instant): Double(instant.milliseconds)
        case .boolean, .text, .option, .options: nil
        }
    }

    /// Nil for a number that an item of this type cannot have, such as NaN or half a day.
    init?(storedNumber value: Double, type: ItemType) {
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
