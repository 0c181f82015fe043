extension DefinitionCheck {
    mutating func checkItems() {
        for place in places {
            let item = place.item
            if !DefinitionName.isValid(item.linkId) {
                faults.add("\(place.pointer)/linkId", "bad_id", DefinitionName.rule)
            }
            if item.type.isQuestion { checkQuestion(place) } else { checkFrame(place) }
            checkFit(place)
            checkBounds(place)
            checkForm(place)
            checkOccurs(place)
            checkMedia(place)
            checkOptions(place)
            checkInitial(place)
        }
    }

    /// Groups and displays.
    private mutating func checkFrame(_ place: Place) {
        let item = place.item
        if item.type == .group, item.item.isEmpty {
            faults.add("\(place.pointer)/item", "empty_group", "A group without items has no use.")
        }
        if item.required, !item.isRepeatingGroup {
            faults.add(
                "\(place.pointer)/required", "not_a_question",
                "A \(item.type.rawValue) takes no answer, so it cannot need one.")
        }
        if item.required, item.isRepeatingGroup { checkVisible(place) }
        if item.type == .display, !item.item.isEmpty {
            faults.add("\(place.pointer)/item", "unexpected_items", "Only a group holds items.")
        }
    }

    private mutating func checkQuestion(_ place: Place) {
        let item = place.item
        if !item.item.isEmpty {
            faults.add("\(place.pointer)/item", "unexpected_items", "Only a group holds items.")
        }
        if item.required, item.initial == nil { checkVisible(place) }
    }

    private mutating func checkVisible(_ place: Place) {
        guard place.isHidden else { return }
        faults.add(
            "\(place.pointer)/required", "required_hidden",
            "Nobody sees a hidden item or what stands in a hidden group, so it cannot need an answer.")
    }

    /// Properties that do not belong to the item's type.
    private mutating func checkFit(_ place: Place) {
        let item = place.item
        let isNumber = item.type == .integer || item.type == .decimal
        let isBounded =
            isNumber || item.type == .quantity || [.date, .time, .dateTime].contains(item.type)
        let isText = item.type == .string || item.type == .text || item.type == .openChoice
        let cannotRepeat = item.type == .display || item.type == .boolean || item.type == .ranking
        let misplaced: [(String, Bool)] = [
            ("repeats", item.repeats && cannotRepeat),
            ("answerOption", !item.answerOption.isEmpty && !item.type.hasOptions),
            ("minValue", item.minValue != nil && !isBounded),
            ("maxValue", item.maxValue != nil && !isBounded),
            ("minLength", item.minLength != nil && !isText), ("maxLength", item.maxLength != nil && !isText),
            ("regex", item.regex != nil && !isText),
            (
                "maxDecimalPlaces",
                item.maxDecimalPlaces != nil && item.type != .decimal && item.type != .quantity
            ),
            ("step", item.step != nil && !isNumber && item.type != .quantity),
            ("unit", item.unit != nil && !isNumber),
            ("unitOption", !item.unitOption.isEmpty && item.type != .quantity),
            ("shuffle", item.shuffle && item.type != .group && !item.type.hasOptions),
            ("minOccurs", item.minOccurs != nil && !item.repeats),
            ("maxOccurs", item.maxOccurs != nil && !item.repeats),
            ("initial", item.initial != nil && !item.type.isQuestion),
        ]
        for (name, isMisplaced) in misplaced where isMisplaced {
            faults.add(
                "\(place.pointer)/\(name)", "not_for_type",
                "This does not belong to an item of type \(item.type.rawValue).")
        }
    }

    private mutating func checkBounds(_ place: Place) {
        let item = place.item
        for (name, bound) in [("minValue", item.minValue), ("maxValue", item.maxValue), ("step", item.step)] {
            guard let bound else { continue }
            if !bound.isFinite || abs(bound) > 9_007_199_254_740_991 || name == "step" && bound <= 0 {
                faults.add("\(place.pointer)/\(name)", "out_of_range", "This number cannot bound an answer.")
            } else if item.type == .integer, bound != bound.rounded() {
                faults.add("\(place.pointer)/\(name)", "not_whole", "An integer item has whole bounds.")
            } else if [.date, .time, .dateTime].contains(item.type),
                Answer(storedNumber: bound, type: item.type) == nil
            {
                faults.add("\(place.pointer)/\(name)", "wrong_type", "This bounds no \(item.type.rawValue).")
            }
        }
        checkUnits(place)
        if let least = item.minValue, let most = item.maxValue, least > most {
            faults.add("\(place.pointer)/minValue", "empty_range", "The least value is above the greatest.")
        }
        let limit = item.type == .text ? AnswerReader.maximumTextLength : AnswerReader.maximumStringLength
        if let most = item.maxLength, !(1...limit).contains(most) {
            faults.add(
                "\(place.pointer)/maxLength", "out_of_range", "The greatest length is from 1 to \(limit).")
        }
        if let least = item.minLength, least < 0 || least > (item.maxLength ?? limit) {
            faults.add(
                "\(place.pointer)/minLength", "empty_range",
                "The least length is negative or above the greatest.")
        }
        if let decimals = item.maxDecimalPlaces, !(0...AnswerReader.maximumDigits).contains(decimals) {
            faults.add(
                "\(place.pointer)/maxDecimalPlaces", "out_of_range",
                "Decimal places are from 0 to \(AnswerReader.maximumDigits).")
        }
    }

    /// A bound counts in the first unit, so that answers in all others must compare with it; 0 is the same in all.
    private mutating func checkUnits(_ place: Place) {
        guard let first = place.item.unitOption.first,
            let odd = place.item.unitOption.first(where: { !UCUMScale.areOfOneKind($0, first) })
        else { return }
        for (name, bound) in [("minValue", place.item.minValue), ("maxValue", place.item.maxValue)]
        where (bound ?? 0) != 0 {
            faults.add(
                "\(place.pointer)/\(name)", "units_not_comparable",
                "This bound counts in \(first), the first unit, which nobody here can compare with \(odd).")
        }
    }

    private mutating func checkInitial(_ place: Place) {
        guard let initial = place.item.initial, place.item.type.isQuestion else { return }
        let pointer = "\(place.pointer)/initial"
        do {
            if try place.item.answer(from: initial.json, pointer: pointer) != initial {
                faults.add(
                    pointer, "wrong_type", "This is no answer to an item of type \(place.item.type.rawValue)."
                )
            }
        } catch {
            faults.add(error.list)
        }
    }
}
