/// Quantities, open choices and lists.
extension AnswerReader {
    /// `{"value": 72.5, "unit": "kg"}`, or the number alone where there is one unit only.
    mutating func quantity(_ value: JSON, _ pointer: String) -> Answer? {
        if case .number = value, item.unitOption.count == 1 {
            guard case .decimal(let number)? = self.number(value, pointer) else { return nil }
            return .quantity(Measure(value: number, unit: item.unitOption[0]))
        }
        guard let members = value.object, let number = members["value"], let unit = members["unit"]?.string,
            members.count == 2
        else {
            faults.add(pointer, "wrong_type", "This item takes a value and its unit.")
            return nil
        }
        let read = anyNumber(number, "\(pointer)/value")
        guard let place = item.unitOption.firstIndex(where: { $0.utf8.elementsEqual(unit.utf8) }) else {
            faults.add("\(pointer)/unit", "not_a_unit", "This is none of the item's units.")
            return nil
        }
        guard case (.decimal(let number), _)? = read, isWithin(number, unit, "\(pointer)/value") else {
            return nil
        }
        return .quantity(Measure(value: number, unit: item.unitOption[place]))
    }

    /// Own words, `{"other": …}`; nil, and no fault, for what are none, and for blank ones.
    mutating func words(_ value: JSON, _ pointer: String) -> String? {
        guard let members = value.object else { return nil }
        guard members.count == 1, let words = members["other"] else {
            faults.add(pointer, "wrong_type", "Own words are handed in as one member, other.")
            return nil
        }
        guard case .text(let text)? = text(words, "\(pointer)/other") else { return nil }
        return text
    }

    mutating func openChoice(_ value: JSON, _ pointer: String) -> Answer? {
        guard value.object == nil else { return words(value, pointer).map { .words($0) } }
        return option(value, pointer).map { .option($0.value) }
    }

    /// Options, and own words at most once.
    mutating func openChoices(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item takes a list.")
            return nil
        }
        let before = faults.count
        var others: [(place: Int, words: String)] = []
        var rest: [(place: Int, value: JSON)] = []
        for (place, element) in elements.prefix(item.answerOption.count + 2).enumerated() {
            if element.object == nil {
                rest.append((place, element))
            } else if let words = words(element, "\(pointer)/\(place)") {
                others.append((place, words))
            }
        }
        if elements.count > item.answerOption.count + 1 {
            faults.add(pointer, "too_many_options", "The item has only \(item.answerOption.count) options.")
        }
        for other in others.dropFirst() {
            faults.add("\(pointer)/\(other.place)", "duplicate_option", "Own words are taken once.")
        }
        let chosen = chosen(rest, pointer)
        if !isAlone(chosen) { checkOccurs(chosen.count + min(others.count, 1), pointer) }
        if let other = others.first, let alone = chosen.first(where: { item.answerOption[$0].exclusive }) {
            faults.add(
                "\(pointer)/\(other.place)", "exclusive_option",
                "The option \(item.answerOption[alone].value.text) excludes all others.")
        }
        guard faults.count == before else { return nil }
        let values = chosen.map { item.answerOption[$0].value }
        if let words = others.first?.words { return .optionsAndWords(values, words) }
        return values.isEmpty ? nil : .options(values)
    }

    /// The values of a repeating question that is no choice.
    mutating func list(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item takes a list.")
            return nil
        }
        guard !elements.isEmpty else { return nil }
        let before = faults.count
        checkOccurs(elements.count, pointer)
        guard elements.count <= item.mostOccurs else { return nil }
        var answers: [Answer] = []
        for (index, element) in elements.enumerated() {
            let here = "\(pointer)/\(index)"
            let count = faults.count
            if let answer = element.isNull ? nil : single(element, here) {
                answers.append(answer)
            } else if faults.count == count {
                faults.add(here, "blank_value", "A list holds values only.")
            }
        }
        return faults.count == before ? .list(answers) : nil
    }

    /// How many answers there may be to an item that is answered.
    mutating func checkOccurs(_ count: Int, _ pointer: String) {
        guard count > 0 else { return }
        if count > item.mostOccurs {
            faults.add(pointer, "too_many_answers", "At most \(item.mostOccurs) answers are taken.")
        }
        if let least = item.minOccurs, count < least {
            faults.add(pointer, "too_few_answers", "At least \(least) answers are needed.")
        }
    }
}

extension Item {
    /// Instances and values that a repeating item takes where it states no limit of its own, and the greatest limit.
    static let maximumOccurs = 100

    var mostOccurs: Int { maxOccurs ?? (type.hasOptions ? answerOption.count + 1 : Self.maximumOccurs) }
}
