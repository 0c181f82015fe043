extension DefinitionCheck {
    private static let maximumRanked = 50

    mutating func checkOptions(_ place: Place) {
        let item = place.item
        guard item.type.hasOptions else { return }
        let pointer = "\(place.pointer)/answerOption"
        if item.answerOption.isEmpty { faults.add(pointer, "no_options", "A choice needs options.") }
        if item.answerOption.count > Item.maximumOptions {
            faults.add(
                pointer, "too_many_options",
                "At most \(Item.maximumOptions) options are taken, not \(item.answerOption.count).")
            return
        }
        if item.type == .ranking, !(2...Self.maximumRanked).contains(item.answerOption.count) {
            faults.add(
                pointer, "out_of_range",
                "From 2 to \(Self.maximumRanked) options are ranked, not \(item.answerOption.count).")
        }
        var seen: Set<OptionValue> = []
        for (index, option) in item.answerOption.enumerated() {
            let here = "\(pointer)/\(index)"
            if !seen.insert(option.value).inserted {
                faults.add("\(here)/value", "duplicate_option", "An earlier option has this value.")
            }
            if option.value.isNumber != item.answerOption[0].value.isNumber {
                faults.add(
                    "\(here)/value", "mixed_options", "The options of one item are all numbers or all codes.")
            }
            checkValue(option.value, of: item, "\(here)/value")
            if let weight = option.weight, !weight.isFinite || abs(weight) > 9_007_199_254_740_991 {
                faults.add("\(here)/weight", "out_of_range", "This number cannot be a weight.")
            }
            checkRanked(option, of: item, here)
            if option.exclusive, !item.repeats, item.type != .ranking {
                faults.add(
                    "\(here)/exclusive", "not_for_type",
                    "Only options of a repeating item can exclude others.")
            }
        }
    }

    private mutating func checkRanked(_ option: ResponseOption, of item: Item, _ pointer: String) {
        if item.type == .ranking, option.exclusive || option.weight != nil || !option.enableWhen.isEmpty {
            faults.add(pointer, "not_for_type", "Options that are ranked have a value and nothing else.")
        }
        if item.type == .openChoice, item.repeats, option.value == .code(Item.otherCode) {
            faults.add("\(pointer)/value", "reserved_name", "So the column of own words is called.")
        }
    }

    /// Values become numbers and column names of the dataset; those of a repeating item also the tail of
    /// `item__value`.
    private mutating func checkValue(_ value: OptionValue, of item: Item, _ pointer: String) {
        switch value {
        case .integer(let number):
            if !(-9_007_199_254_740_991...9_007_199_254_740_991).contains(number) {
                faults.add(
                    pointer, "number_too_large", "Option values are taken up to 9007199254740991 either way.")
            } else if item.repeats || item.type == .ranking, number < 0 {
                faults.add(
                    pointer, "out_of_range", "The options of a repeating item are named by numbers from 0.")
            }
        case .code(let code):
            if !DefinitionName.isCode(code) { faults.add(pointer, "bad_id", DefinitionName.codeRule) }
        }
        if item.repeats || item.type == .ranking,
            item.linkId.utf8.count + 2 + value.text.utf8.count > Self.maximumColumn
        {
            faults.add(
                pointer, "name_too_long",
                "The column \(item.linkId)__\(value.text) would have more than \(Self.maximumColumn) characters."
            )
        }
    }
}

extension Item {
    /// Options that an item has at most.
    package static let maximumOptions = 1000
}

extension OptionValue {
    var isNumber: Bool {
        if case .integer = self { true } else { false }
    }
}
