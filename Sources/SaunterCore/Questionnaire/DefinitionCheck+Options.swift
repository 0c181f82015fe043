extension DefinitionCheck {
    private static let maximumOptions = 1000

    mutating func checkOptions(_ place: Place) {
        let item = place.item
        guard item.type == .choice else { return }
        let pointer = "\(place.pointer)/answerOption"
        if item.answerOption.isEmpty { faults.add(pointer, "no_options", "A choice needs options.") }
        if item.answerOption.count > Self.maximumOptions {
            faults.add(pointer, "too_many_options", "At most \(Self.maximumOptions) options are taken.")
            return
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
            if option.exclusive, !item.repeats {
                faults.add(
                    "\(here)/exclusive", "not_for_type",
                    "Only options of a repeating item can exclude others.")
            }
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
            } else if item.repeats, number < 0 {
                faults.add(
                    pointer, "out_of_range", "The options of a repeating item are named by numbers from 0.")
            }
        case .code(let code):
            if !DefinitionName.isCode(code) { faults.add(pointer, "bad_id", DefinitionName.codeRule) }
        }
        if item.repeats, item.linkId.utf8.count + 2 + value.text.utf8.count > Self.maximumColumn {
            faults.add(
                pointer, "name_too_long",
                "The column \(item.linkId)__\(value.text) would have more than \(Self.maximumColumn) characters."
            )
        }
    }
}

extension OptionValue {
    var isNumber: Bool {
        if case .integer = self { true } else { false }
    }
}
