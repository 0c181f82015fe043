extension DefinitionCheck {
    /// Checks every item.
    mutating func checkItems() {
        for node in nodes {
            let item = node.item
            if !DefinitionName.isValid(item.linkId) {
                faults.add("\(node.pointer)/linkId", "bad_id", DefinitionName.rule)
            }
            if item.type.isQuestion { checkQuestion(node) } else { checkGroupOrDisplay(node) }
            checkPermittedProperties(node)
            checkBounds(node)
            checkPatternAndUnits(node)
            checkOccurs(node)
            checkMedia(node.item.media, "\(node.pointer)/media")
            for (index, option) in node.item.answerOption.enumerated() {
                checkMedia(option.media, "\(node.pointer)/answerOption/\(index)/media")
            }
            checkOptions(node)
            checkInitial(node)
        }
    }

    /// Checks the properties of a group or display.
    private mutating func checkGroupOrDisplay(_ node: Node) {
        let item = node.item
        if item.type == .group, item.item.isEmpty {
            faults.add("\(node.pointer)/item", "empty_group", "A group must contain at least one item.")
        }
        if item.required, !item.isRepeatingGroup {
            faults.add(
                "\(node.pointer)/required", "not_a_question",
                "An item of type \(item.type.rawValue) has no answer, so it cannot be required.")
        }
        if item.required, item.isRepeatingGroup { checkVisible(node) }
        if item.type == .display, !item.item.isEmpty {
            faults.add("\(node.pointer)/item", "unexpected_items", "Only a group can contain items.")
        }
    }

    private mutating func checkQuestion(_ node: Node) {
        let item = node.item
        if !item.item.isEmpty {
            faults.add("\(node.pointer)/item", "unexpected_items", "Only a group can contain items.")
        }
        if item.required, item.initial == nil { checkVisible(node) }
    }

    /// Checks that participants can see a required item.
    private mutating func checkVisible(_ node: Node) {
        guard node.isHidden else { return }
        faults.add(
            "\(node.pointer)/required", "required_hidden",
            "Participants cannot see a hidden item or an item in a hidden group, so it cannot be required.")
    }

    /// Rejects properties that are not permitted for the item's type.
    private mutating func checkPermittedProperties(_ node: Node) {
        let item = node.item
        func entry(_ name: String, _ isUsed: Bool, _ property: ItemProperty) -> (String, Bool) {
            (name, isUsed && !item.type.permits(property))
        }
        let misplaced: [(String, Bool)] = [
            entry("repeats", item.repeats, .repeats),
            ("answerOption", !item.answerOption.isEmpty && !item.type.hasOptions),
            entry("minValue", item.minValue != nil, .bounds),
            entry("maxValue", item.maxValue != nil, .bounds),
            entry("minLength", item.minLength != nil, .lengths),
            entry("maxLength", item.maxLength != nil, .lengths),
            entry("regex", item.regex != nil, .lengths),
            entry("maxDecimalPlaces", item.maxDecimalPlaces != nil, .decimalPlaces),
            ("decimals", item.decimals != nil && item.type.form != .location),
            ("data_kind", item.dataKind != nil && !item.type.isQuestion),
            entry("step", item.step != nil, .step), entry("unit", item.unit != nil, .unit),
            entry("unitOption", !item.unitOption.isEmpty, .units),
            entry("shuffle", item.shuffle, .shuffle),
            entry("initial", item.initial != nil, .initial),
        ]
        for (name, isMisplaced) in misplaced where isMisplaced {
            faults.add(
                "\(node.pointer)/\(name)", "not_for_type",
                "This is not permitted for an item of type \(item.type.rawValue).")
        }
        for (name, bound) in [("minOccurs", item.minOccurs), ("maxOccurs", item.maxOccurs)]
        where bound != nil && !item.repeats {
            faults.add(
                "\(node.pointer)/\(name)", "not_for_type", "This is only permitted for a repeating item.")
        }
    }

    private mutating func checkBounds(_ node: Node) {
        let item = node.item
        for (name, bound) in [("minValue", item.minValue), ("maxValue", item.maxValue), ("step", item.step)] {
            guard let bound else { continue }
            if !bound.isFinite || abs(bound) > 9_007_199_254_740_991 {
                faults.add(
                    "\(node.pointer)/\(name)", "out_of_range",
                    "This number must be from -9007199254740991 to 9007199254740991.")
            } else if name == "step", bound <= 0 {
                faults.add("\(node.pointer)/\(name)", "out_of_range", "The step must be greater than 0.")
            } else if item.type.definition.isWhole, bound != bound.rounded() {
                faults.add(
                    "\(node.pointer)/\(name)", "not_whole",
                    "The bounds and the step of an integer item must be whole numbers.")
            } else if item.type.form == .moment, item.type.answer(storedNumber: bound) == nil {
                faults.add(
                    "\(node.pointer)/\(name)", "wrong_type", "This is not a valid \(item.type.rawValue).")
            }
        }
        checkUnits(node)
        if let minimum = item.minValue, let maximum = item.maxValue, minimum > maximum {
            faults.add("\(node.pointer)/minValue", "empty_range", "The minimum is above the maximum.")
        }
        let limit = item.type.definition.maximumLength
        if let maximum = item.maxLength, !(1...limit).contains(maximum) {
            faults.add(
                "\(node.pointer)/maxLength", "out_of_range", "The maximum length must be from 1 to \(limit).")
        }
        if let minimum = item.minLength, minimum < 0 || minimum > (item.maxLength ?? limit) {
            faults.add(
                "\(node.pointer)/minLength", "empty_range",
                "The minimum length is negative or above the maximum.")
        }
        if let decimals = item.maxDecimalPlaces, !(0...AnswerReader.maximumDigits).contains(decimals) {
            faults.add(
                "\(node.pointer)/maxDecimalPlaces", "out_of_range",
                "The number of decimal places must be from 0 to \(AnswerReader.maximumDigits).")
        }
        if let decimals = item.decimals, !(0...Item.maximumDecimals).contains(decimals) {
            faults.add(
                "\(node.pointer)/decimals", "out_of_range",
                "The number of decimal places must be from 0 to \(Item.maximumDecimals).")
        }
    }

    /// Checks that answers in every unit can be compared with the bounds, which use the first unit. The bound 0 is the
    /// same in every unit.
    private mutating func checkUnits(_ node: Node) {
        guard let first = node.item.unitOption.first,
            let incomparable = node.item.unitOption.first(where: { !UCUMScale.areComparable($0, first) })
        else { return }
        for (name, bound) in [("minValue", node.item.minValue), ("maxValue", node.item.maxValue)]
        where (bound ?? 0) != 0 {
            faults.add(
                "\(node.pointer)/\(name)", "units_not_comparable",
                "This bound is in \(first), the first unit. Saunter cannot convert between \(first) and \(incomparable)."
            )
        }
    }

    private mutating func checkInitial(_ node: Node) {
        guard let initial = node.item.initial, node.item.type.permits(.initial) else { return }
        let pointer = "\(node.pointer)/initial"
        do {
            if try node.item.answer(from: initial.json, pointer: pointer) != initial {
                faults.add(
                    pointer, "wrong_type",
                    "This is not a valid answer to an item of type \(node.item.type.rawValue)."
                )
            }
        } catch {
            faults.add(error.list)
        }
    }
}

extension DefinitionCheck {
    private static let maximumRanked = 50

    mutating func checkOptions(_ node: Node) {
        let item = node.item
        guard item.type.hasOptions else { return }
        let pointer = "\(node.pointer)/answerOption"
        if item.answerOption.isEmpty {
            faults.add(pointer, "no_options", "An item of type \(item.type.rawValue) must have options.")
        }
        if item.answerOption.count > Item.maximumOptions {
            faults.add(
                pointer, "too_many_options",
                "The maximum is \(Item.maximumOptions) options, not \(item.answerOption.count).")
            return
        }
        if item.type.form == .ranking, !(2...Self.maximumRanked).contains(item.answerOption.count) {
            faults.add(
                pointer, "out_of_range",
                "A ranking has 2 to \(Self.maximumRanked) options, not \(item.answerOption.count).")
        }
        var seen: Set<OptionValue> = []
        for (index, option) in item.answerOption.enumerated() {
            let optionPointer = "\(pointer)/\(index)"
            if !seen.insert(option.value).inserted {
                faults.add("\(optionPointer)/value", "duplicate_option", "An earlier option has this value.")
            }
            if option.value.isNumber != item.answerOption[0].value.isNumber {
                faults.add(
                    "\(optionPointer)/value", "mixed_options",
                    "The options of one item must be all numbers or all codes.")
            }
            checkValue(option.value, of: item, "\(optionPointer)/value")
            if let weight = option.weight, !weight.isFinite || abs(weight) > 9_007_199_254_740_991 {
                faults.add(
                    "\(optionPointer)/weight", "out_of_range",
                    "A weight must be from -9007199254740991 to 9007199254740991.")
            }
            checkPermitted(option, of: item, optionPointer)
            if option.exclusive, !item.isByOption {
                faults.add(
                    "\(optionPointer)/exclusive", "not_for_type",
                    "Only an option of a repeating item can exclude the others.")
            }
        }
    }

    /// Rejects what an option of a ranking or of an open choice cannot have.
    private mutating func checkPermitted(_ option: ResponseOption, of item: Item, _ pointer: String) {
        if item.type.form == .ranking, option.exclusive || option.weight != nil || !option.enableWhen.isEmpty
        {
            faults.add(
                pointer, "not_for_type", "An option of a ranking cannot have exclusive, weight or enableWhen."
            )
        }
        if item.type.acceptsFreeText, item.repeats, option.value == .code(Item.otherCode) {
            faults.add(
                "\(pointer)/value", "reserved_name", "This name is reserved for the column of free text.")
        }
    }

    /// Checks an option's value. Values become numbers and column names of the dataset. The value of a repeating item
    /// is the end of the column name `item__value`.
    private mutating func checkValue(_ value: OptionValue, of item: Item, _ pointer: String) {
        switch value {
        case .integer(let number):
            if !(-9_007_199_254_740_991...9_007_199_254_740_991).contains(number) {
                faults.add(
                    pointer, "number_too_large",
                    "An option value must be from -9007199254740991 to 9007199254740991.")
            } else if item.isByOption, number < 0 {
                faults.add(
                    pointer, "out_of_range",
                    "An option value of a ranking or of a repeating item cannot be negative.")
            }
        case .code(let code):
            if !DefinitionName.isCode(code) { faults.add(pointer, "bad_id", DefinitionName.codeRule) }
        }
        if item.isByOption,
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
    /// The maximum number of options of an item.
    package static let maximumOptions = 1000
}

extension DefinitionCheck {
    private static let maximumUnits = 50
    private static let maximumSourceLength = 500

    /// Checks the pattern and the units.
    mutating func checkPatternAndUnits(_ node: Node) {
        let item = node.item
        if let regex = item.regex {
            do throws(PatternFault) {
                _ = try Pattern(regex)
            } catch {
                faults.add(
                    "\(node.pointer)/regex", "bad_pattern",
                    "At character \(error.position): \(error.detail).")
            }
        }
        if let unit = item.unit { checkUnit(unit, "\(node.pointer)/unit") }
        guard item.type.hasUnits else { return }
        let pointer = "\(node.pointer)/unitOption"
        if item.unitOption.isEmpty { faults.add(pointer, "no_units", "A quantity must have units.") }
        if item.unitOption.count > Self.maximumUnits {
            faults.add(pointer, "too_many_units", "The maximum is \(Self.maximumUnits) units.")
        }
        for (index, unit) in item.unitOption.prefix(Self.maximumUnits).enumerated() {
            if item.unitOption.firstIndex(of: unit) != index {
                faults.add("\(pointer)/\(index)", "duplicate_unit", "This unit is named twice.")
            }
            checkUnit(unit, "\(pointer)/\(index)")
        }
    }

    private mutating func checkUnit(_ unit: String, _ pointer: String) {
        do throws(UCUMUnit.Fault) {
            _ = try UCUMUnit(unit)
        } catch {
            faults.add(pointer, "bad_unit", error.sentence)
        }
    }

    /// Checks the bounds of the number of answers, and repetition inside repeating groups.
    mutating func checkOccurs(_ node: Node) {
        let item = node.item
        let maximum = item.type.hasOptions ? item.answerOption.count + 1 : Item.maximumOccurs
        // The most answers that can be given together: the options that do not exclude others, plus free text.
        let together =
            item.answerOption.filter { !$0.exclusive }.count + (item.type.acceptsFreeText ? 1 : 0)
        let bounds = [
            ("minOccurs", item.minOccurs, item.type.hasOptions ? max(together, 1) : maximum),
            ("maxOccurs", item.maxOccurs, maximum),
        ]
        for (name, bound, maximum) in bounds {
            if let bound, !(1...maximum).contains(bound) {
                faults.add(
                    "\(node.pointer)/\(name)", "out_of_range", "This number must be from 1 to \(maximum).")
            }
        }
        if let minimum = item.minOccurs, let maximum = item.maxOccurs, minimum > maximum {
            faults.add("\(node.pointer)/minOccurs", "empty_range", "The minimum number is above the maximum.")
        }
        guard node.repeatingGroup != nil else { return }
        let isRanking = item.type.form == .ranking
        if item.isRepeatingGroup || item.isList || isRanking {
            faults.add(
                "\(node.pointer)/\(isRanking ? "type" : "repeats")", "nested_repeats",
                "A repeating group cannot contain a ranking, and only choices can repeat in it.")
        }
    }

    /// Checks the source of an image, sound or film.
    mutating func checkMedia(_ media: Media?, _ pointer: String) {
        guard let source = media?.source else { return }
        let bytes = Array(source.utf8)
        let isAddress = source.hasPrefix("https://") && bytes.count > 8
        let isPath =
            source.hasPrefix("media/") && !source.contains("..") && !source.contains("//")
            && bytes.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (45...57).contains($0) || $0 == 95
            }
        if !isAddress && !isPath || bytes.count > Self.maximumSourceLength
            || !bytes.allSatisfy({ (33...126).contains($0) })
        {
            faults.add(
                "\(pointer)/source", "bad_source",
                "A source must be an https address, or a path such as media/walk.png, of at most \(Self.maximumSourceLength) characters."
            )
        }
    }
}
