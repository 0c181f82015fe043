/// Checks of missing rules, recoding, weights and blanks.
extension ScoringCheck {
    /// Checks that the numbers of the missing rule can be reached, and that the rule is compatible with the method.
    mutating func checkMissing(_ scale: Scale, _ pointer: String) {
        let elementPointer = "\(pointer)/missing"
        func outside(_ minimum: Int) -> Bool { minimum < 1 || minimum > scale.items.count }
        switch scale.missing {
        case .complete, .exclude: return
        case .prorate(let minimum):
            if outside(minimum) {
                faults.add(elementPointer, "out_of_range", "The minimum is from 1 to the number of items.")
            }
        case .partial(.count(let minimum), _):
            if outside(minimum) {
                faults.add(elementPointer, "out_of_range", "The minimum is from 1 to the number of items.")
            }
        case .partial(.share(let share), _):
            if !(share > 0 && share <= 1) {
                faults.add(elementPointer, "out_of_range", "The share is greater than 0 and at most 1.")
            }
        }
        if scale.method.usesTimes {
            faults.add(
                elementPointer, "bad_rule",
                "Missing times cannot be replaced. The rule must be complete or exclude.")
        }
        guard case .partial(_, let remedy) = scale.missing else {
            return checkAllowsMissingItems(scale, elementPointer)
        }
        switch remedy {
        case .prorate, .answered: checkAllowsMissingItems(scale, elementPointer)
        case .impute(.constant(let value)):
            if !value.isFinite || abs(value) > 1e9 {
                faults.add(
                    elementPointer, "out_of_range", "The imputed constant is a number from -1e9 to 1e9.")
            }
        case .impute(.midpoint):
            for name in scale.items where items[name].map({ range(of: $0, scale) == nil }) ?? false {
                faults.add(
                    elementPointer, "no_range", "\(name) has no declared range, so it has no midpoint.",
                    naming: name)
            }
        case .impute(.personMean), .impute(.personMedian): break
        }
    }

    /// Checks that some of the items can represent all items.
    private mutating func checkAllowsMissingItems(_ scale: Scale, _ pointer: String) {
        if scale.items.count > 1, !scale.method.allowsMissingItems {
            faults.add(
                pointer, "bad_rule",
                "The method \(scale.method.rawValue) needs every item. The rule must be complete, exclude or impute."
            )
        }
        if scale.weights.values.contains(where: { $0 <= 0 }) {
            faults.add(
                pointer, "bad_rule", "A sum with weights that are not greater than 0 cannot be prorated.")
        }
    }

    private func range(of item: Item, _ scale: Scale) -> (minimum: Quantity, maximum: Quantity)? {
        ItemWeights(item, recode: scale.recode[item.linkId]).declaredRange
    }

    /// Checks `recode`, `weights`, `where`, `blanks` and `unit`.
    mutating func checkValues(_ scale: Scale, _ pointer: String) {
        for (name, table) in scale.recode.sorted(by: { $0.key < $1.key }) {
            let elementPointer = "\(pointer)/recode/\(Fault.escape(name))"
            guard scale.items.contains(name), let item = items[name] else {
                faults.add(
                    elementPointer, "unknown_item", "\(name) is not an item of this scale.", naming: name)
                continue
            }
            checkRecode(table, of: item, elementPointer)
        }
        for (name, weight) in scale.weights.sorted(by: { $0.key < $1.key }) {
            let elementPointer = "\(pointer)/weights/\(Fault.escape(name))"
            if !scale.items.contains(name) {
                faults.add(
                    elementPointer, "unknown_item", "\(name) is not an item of this scale.", naming: name)
            }
            if !weight.isFinite || weight == 0 || abs(weight) > 1e9 {
                faults.add(
                    elementPointer, "out_of_range", "A weight is a number from -1e9 to 1e9, but not 0.")
            }
        }
        if !scale.weights.isEmpty, scale.method != .sum, scale.method != .mean {
            faults.add("\(pointer)/weights", "bad_word", "Only sums and means have weights.")
        }
        if let counted = scale.counted {
            checkRange(counted, "\(pointer)/where", "The counted range")
            if scale.method != .count {
                faults.add("\(pointer)/where", "bad_word", "Only counts have a range.")
            }
        }
        for (reason, rule) in scale.blanks.sorted(by: { $0.key.code < $1.key.code }) {
            let elementPointer = "\(pointer)/blanks/\(reason.code)"
            if !MissingReason.scored.contains(reason) {
                faults.add(
                    elementPointer, "bad_word",
                    "There cannot be a rule for this kind of blank: it is always missing.")
            }
            if case .counts(let value) = rule, !value.isFinite || abs(value) > 1e9 {
                faults.add(
                    elementPointer, "out_of_range", "The value of a blank is a number from -1e9 to 1e9.")
            }
            if scale.method.usesTimes || rule == .leftOut && !scale.method.allowsMissingItems {
                faults.add(
                    elementPointer, "bad_rule", "The method \(scale.method.rawValue) needs every item.")
            }
        }
        if scale.unit != nil, !scale.method.usesTimes {
            faults.add("\(pointer)/unit", "bad_word", "Only elapsed and clock have a unit.")
        }
    }

    private mutating func checkRecode(_ table: [String: Double], of item: Item, _ pointer: String) {
        for (answer, value) in table.sorted(by: { $0.key < $1.key }) {
            let elementPointer = "\(pointer)/\(Fault.escape(answer))"
            if !value.isFinite || abs(value) > 1e9 {
                faults.add(
                    elementPointer, "out_of_range", "The value of an answer is a number from -1e9 to 1e9.")
            }
            let isKnown =
                switch item.type {
                case .choice, .openChoice: item.answerOption.contains { $0.value.text == answer }
                case .boolean: answer == "true" || answer == "false"
                default: Double(answer)?.isFinite ?? false
                }
            if !isKnown {
                faults.add(
                    elementPointer, "unknown_option", "\(item.linkId) has no answer \(answer).",
                    naming: item.linkId)
            }
        }
        let needed =
            switch item.type {
            case .choice, .openChoice: item.answerOption.map(\.value.text)
            case .boolean: ["true", "false"]
            default: [String]()
            }
        for answer in needed where table[answer] == nil {
            faults.add(
                pointer, "no_weight",
                "The answer \(answer) is not in the recoding table, so it would be missing.")
        }
    }
}
