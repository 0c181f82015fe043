extension ScoringCheck {
    /// The missing rule: numbers that can be met, and a method that the rule fits.
    mutating func checkMissing(_ scale: Scale, _ pointer: String) {
        let here = "\(pointer)/missing"
        func outside(_ minimum: Int) -> Bool { minimum < 1 || minimum > scale.items.count }
        switch scale.missing {
        case .complete, .exclude: return
        case .prorate(let minimum):
            if outside(minimum) {
                faults.add(here, "out_of_range", "The items needed are from 1 to the number of items.")
            }
        case .partial(.count(let minimum), _):
            if outside(minimum) {
                faults.add(here, "out_of_range", "The items needed are from 1 to the number of items.")
            }
        case .partial(.share(let share), _):
            if !(share > 0 && share <= 1) {
                faults.add(here, "out_of_range", "The share needed is above 0 and at most 1.")
            }
        }
        if scale.method.takesMoments {
            faults.add(here, "bad_rule", "Times cannot be filled in; the rule is complete or exclude.")
        }
        guard case .partial(_, let remedy) = scale.missing else { return checkFewer(scale, here) }
        switch remedy {
        case .prorate, .answered: checkFewer(scale, here)
        case .impute(.constant(let value)):
            if !value.isFinite || abs(value) > 1e9 {
                faults.add(here, "out_of_range", "What is imputed is a number up to 1e9.")
            }
        case .impute(.midpoint):
            for name in scale.items where items[name].map({ range(of: $0, scale) == nil }) ?? false {
                faults.add(here, "no_range", "\(name) has no declared range with a middle.")
            }
        case .impute(.personMean), .impute(.personMedian): break
        }
    }

    /// Fewer items than all must be able to stand for all.
    private mutating func checkFewer(_ scale: Scale, _ pointer: String) {
        if scale.items.count > 1, !scale.method.canDoWithFewer {
            faults.add(
                pointer, "bad_rule",
                "A \(scale.method.rawValue) needs every item; the rule is complete, exclude or imputing.")
        }
        if scale.weights.values.contains(where: { $0 <= 0 }) {
            faults.add(
                pointer, "bad_rule", "Only weights above 0 can be shared out among the items answered.")
        }
    }

    private func range(of item: Item, _ scale: Scale) -> (minimum: Quantity, maximum: Quantity)? {
        ItemWeights(item, recode: scale.recode[item.linkId]).declaredRange
    }

    /// `recode`, `weights`, `where`, `blanks` and `unit`.
    mutating func checkWords(_ scale: Scale, _ pointer: String) {
        for (name, table) in scale.recode.sorted(by: { $0.key < $1.key }) {
            let here = "\(pointer)/recode/\(Fault.escape(name))"
            guard scale.items.contains(name), let item = items[name] else {
                faults.add(here, "unknown_item", "\(name) is not among the items of this scale.")
                continue
            }
            checkRecode(table, of: item, here)
        }
        for (name, weight) in scale.weights.sorted(by: { $0.key < $1.key }) {
            let here = "\(pointer)/weights/\(Fault.escape(name))"
            if !scale.items.contains(name) {
                faults.add(here, "unknown_item", "\(name) is not among the items of this scale.")
            }
            if !weight.isFinite || weight == 0 || abs(weight) > 1e9 {
                faults.add(here, "out_of_range", "A weight is a number other than 0, up to 1e9.")
            }
        }
        if !scale.weights.isEmpty, scale.method != .sum, scale.method != .mean {
            faults.add("\(pointer)/weights", "bad_word", "Weights are for sums and means.")
        }
        if let counted = scale.counted {
            checkRange(counted, "\(pointer)/where", "What is counted")
            if scale.method != .count {
                faults.add("\(pointer)/where", "bad_word", "The range is for counts.")
            }
        }
        for (reason, rule) in scale.blanks.sorted(by: { $0.key.code < $1.key.code }) {
            let here = "\(pointer)/blanks/\(reason.code)"
            if !MissingReason.scored.contains(reason) {
                faults.add(here, "bad_word", "Blanks of this kind are always missing.")
            }
            if case .counts(let value) = rule, !value.isFinite || abs(value) > 1e9 {
                faults.add(here, "out_of_range", "What a blank counts is a number up to 1e9.")
            }
            if scale.method.takesMoments || rule == .leftOut && !scale.method.canDoWithFewer {
                faults.add(here, "bad_rule", "A \(scale.method.rawValue) needs every item.")
            }
        }
        if scale.unit != nil, !scale.method.takesMoments {
            faults.add("\(pointer)/unit", "bad_word", "The unit is for elapsed and clock.")
        }
    }

    private mutating func checkRecode(_ table: [String: Double], of item: Item, _ pointer: String) {
        for (answer, value) in table.sorted(by: { $0.key < $1.key }) {
            let here = "\(pointer)/\(Fault.escape(answer))"
            if !value.isFinite || abs(value) > 1e9 {
                faults.add(here, "out_of_range", "What an answer counts is a number up to 1e9.")
            }
            let isKnown =
                switch item.type {
                case .choice, .openChoice: item.answerOption.contains { $0.value.text == answer }
                case .boolean: answer == "true" || answer == "false"
                default: Double(answer)?.isFinite ?? false
                }
            if !isKnown { faults.add(here, "unknown_option", "\(item.linkId) has no answer \(answer).") }
        }
        let needed =
            switch item.type {
            case .choice, .openChoice: item.answerOption.map(\.value.text)
            case .boolean: ["true", "false"]
            default: [String]()
            }
        for answer in needed where table[answer] == nil {
            faults.add(
                pointer, "no_weight", "The answer \(answer) is not recoded and would count as missing.")
        }
    }
}
