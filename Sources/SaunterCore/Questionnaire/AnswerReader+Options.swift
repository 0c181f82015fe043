extension AnswerReader {
    /// The option that a value names, with its place.
    mutating func option(_ value: JSON, _ pointer: String) -> (value: OptionValue, place: Int)? {
        let candidate: OptionValue
        switch value {
        case .string(let code): candidate = .code(code)
        case .number(let number):
            guard let whole = number.int else { return refuse(pointer) }
            candidate = .integer(whole)
        default:
            faults.add(pointer, "wrong_type", "This item takes the value of one of its options.")
            return nil
        }
        guard let place = optionPlaces[candidate] else { return refuse(pointer) }
        // Options are told apart by their bytes; Swift's strings by Unicode equivalence.
        guard item.answerOption[place].value.text.utf8.elementsEqual(candidate.text.utf8) else {
            return refuse(pointer)
        }
        return (item.answerOption[place].value, place)
    }

    private mutating func refuse(_ pointer: String) -> (value: OptionValue, place: Int)? {
        faults.add(pointer, "not_an_option", "This is none of the item's options.")
        return nil
    }

    /// The chosen options of a repeating item, brought into the questionnaire's order; nil when none is
    /// chosen.
    mutating func options(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item takes a list of its options' values.")
            return nil
        }
        let before = faults.count
        if elements.count > item.answerOption.count {
            faults.add(pointer, "too_many_options", "The item has only \(item.answerOption.count) options.")
        }
        let named = elements.prefix(item.answerOption.count).enumerated().map { ($0.offset, $0.element) }
        let places = chosen(named, pointer)
        if !isAlone(places) { checkOccurs(places.count, pointer) }
        guard faults.count == before, !places.isEmpty else { return nil }
        return .options(places.map { item.answerOption[$0].value })
    }

    /// Whether nothing is chosen but an option that excludes all others: it answers the item whatever number is wanted.
    func isAlone(_ places: [Int]) -> Bool { places.count == 1 && item.answerOption[places[0]].exclusive }

    /// The places of the chosen options, in the questionnaire's order.
    /// - Parameter elements: with the place of each in the list that was handed in.
    mutating func chosen(_ elements: [(place: Int, value: JSON)], _ pointer: String) -> [Int] {
        var chosen: [Int: Int] = [:]
        for (index, element) in elements {
            guard let place = option(element, "\(pointer)/\(index)")?.place else { continue }
            if chosen.updateValue(chosen[place] ?? index, forKey: place) != nil {
                faults.add("\(pointer)/\(index)", "duplicate_option", "This option is named twice.")
            }
        }
        let places = chosen.keys.sorted()
        if places.count > 1 {
            for place in places where item.answerOption[place].exclusive {
                faults.add(
                    "\(pointer)/\(chosen[place] ?? 0)", "exclusive_option", "This option excludes all others."
                )
            }
        }
        return places
    }
}

extension Item {
    /// Reads a value of this item: the same rules as for a participant's answer. Nil is a blank.
    /// - Parameter single: read one value although the item repeats, as for a condition's `answer`.
    package func answer(from value: JSON, pointer: String = "", single: Bool = false) throws(Faults)
        -> Answer?
    {
        var reader = AnswerReader(item: self, optionPlaces: optionPlaces)
        let answer =
            single && !value.isNull ? reader.single(value, pointer) : reader.read(value, pointer: pointer)
        try reader.faults.check()
        return answer
    }

    /// Option value -> its place; of two equal ones the first.
    var optionPlaces: [OptionValue: Int] {
        Dictionary(answerOption.enumerated().map { ($1.value, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
