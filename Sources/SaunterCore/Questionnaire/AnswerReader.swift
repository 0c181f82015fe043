/// Reads the value of one item from JSON by the item's type, options and bounds. Nil is a blank: null, an
/// empty list, or a text of nothing but white space. Every fault is named in `faults`; details never quote
/// the value.
struct AnswerReader {
    /// Unicode scalars that a `string` and a `text` item take when they state no limit of their own.
    static let maximumStringLength = 1000
    static let maximumTextLength = 20_000
    /// Decimal digits that a double keeps whatever they are.
    static let maximumDigits = 15

    let item: Item
    let optionPlaces: [OptionValue: Int]
    /// Of `item.regex`.
    let pattern: Pattern?
    var faults = GatheredFaults()

    /// For one value; whoever reads many keeps the pattern.
    init(item: Item, optionPlaces: [OptionValue: Int]) {
        self.init(item: item, optionPlaces: optionPlaces, pattern: item.pattern)
    }

    init(item: Item, optionPlaces: [OptionValue: Int], pattern: Pattern?) {
        self.item = item
        self.optionPlaces = optionPlaces
        self.pattern = pattern
    }

    mutating func read(_ value: JSON, pointer: String) -> Answer? {
        if value.isNull { return nil }
        guard item.repeats else { return single(value, pointer) }
        switch item.type {
        case .choice: return options(value, pointer)
        case .openChoice: return openChoices(value, pointer)
        default: return item.isList ? list(value, pointer) : single(value, pointer)
        }
    }

    /// One value, also of an item that repeats: what a condition compares with.
    mutating func single(_ value: JSON, _ pointer: String) -> Answer? {
        switch item.type {
        case .group, .display:
            faults.add(pointer, "not_a_question", "A \(item.type.rawValue) takes no answer.")
            return nil
        case .boolean:
            guard let truth = value.bool else { return wrongType(pointer, "true or false") }
            return .boolean(truth)
        case .integer, .decimal: return number(value, pointer)
        case .string, .text: return text(value, pointer)
        case .date, .dateTime, .time: return moment(value, pointer)
        case .choice: return option(value, pointer).map { .option($0.value) }
        case .openChoice: return openChoice(value, pointer)
        case .quantity: return quantity(value, pointer)
        case .ranking: return ranking(value, pointer)
        }
    }

    private mutating func wrongType(_ pointer: String, _ wanted: String) -> Answer? {
        faults.add(pointer, "wrong_type", "This item takes \(wanted).")
        return nil
    }
}

// MARK: - Texts and moments

extension AnswerReader {
    mutating func text(_ value: JSON, _ pointer: String) -> Answer? {
        guard let text = value.string else { return wrongType(pointer, "a text") }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { return nil }
        let before = faults.count
        let length = text.unicodeScalars.count
        let limit =
            item.maxLength ?? (item.type == .text ? Self.maximumTextLength : Self.maximumStringLength)
        if length > limit {
            faults.add(pointer, "too_long", "At most \(limit) characters are taken, not \(length).")
        }
        if let least = item.minLength, length < least {
            faults.add(pointer, "too_short", "At least \(least) characters are needed, not \(length).")
        }
        if text.utf8.contains(0) {
            faults.add(pointer, "nul_character", "The character U+0000 cannot be stored.")
        }
        guard faults.count == before else { return nil }
        if let pattern, !pattern.matches(text) {
            faults.add(pointer, "wrong_form", "The text has not the form that this item wants.")
            return nil
        }
        return .text(text)
    }

    private mutating func moment(_ value: JSON, _ pointer: String) -> Answer? {
        guard let text = value.string else {
            return wrongType(
                pointer, "a text with a \(item.type == .dateTime ? "date and time" : item.type.rawValue)")
        }
        guard let answer = moment(text, pointer), let number = answer.storedNumber else { return nil }
        let before = faults.count
        if let least = item.minValue, number < least {
            faults.add(pointer, "below_minimum", "The earliest is \(item.bound(least)).")
        }
        if let most = item.maxValue, number > most {
            faults.add(pointer, "above_maximum", "The latest is \(item.bound(most)).")
        }
        return faults.count == before ? answer : nil
    }

    private mutating func moment(_ text: String, _ pointer: String) -> Answer? {
        switch item.type {
        case .date:
            if let date = LocalDate(text) { return .date(date) }
            faults.add(pointer, "invalid_date", "A date that exists, written yyyy-mm-dd, is expected.")
        case .time:
            if let time = LocalTime(text) { return .time(time) }
            faults.add(
                pointer, "invalid_time",
                "A time from 00:00 to 23:59:59, written hh:mm or hh:mm:ss, is expected.")
        default:
            if let instant = Instant(text) { return .dateTime(instant) }
            faults.add(
                pointer, "invalid_date_time",
                "A moment that exists is expected, by RFC 3339 with its offset: 2026-11-21T08:00:00Z."
            )
        }
        return nil
    }
}

extension Item {
    /// The pattern of its texts; nil without one, and for one that cannot be read, which no check lets pass.
    var pattern: Pattern? {
        guard let regex else { return nil }
        do throws(PatternFault) {
            return try Pattern(regex)
        } catch {
            return nil
        }
    }

    /// A bound as its answers are written.
    func bound(_ value: Double) -> String {
        let json = boundJSON(value)
        return json.string ?? json.text
    }

    /// A bound as its answers are handed in.
    func boundJSON(_ value: Double) -> JSON {
        switch type {
        case .date, .time, .dateTime: Answer(storedNumber: value, type: type)?.json ?? .double(value)
        default: .double(value)
        }
    }
}
