/// Checks of the values that items and blanks have in a scale: recoding, weights, counted range and unit.
extension ScoringCheck {
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
        let written = item.type.definition.writtenAnswers(to: item)
        for (answer, value) in table.sorted(by: { $0.key < $1.key }) {
            let elementPointer = "\(pointer)/\(Fault.escape(answer))"
            if !value.isFinite || abs(value) > 1e9 {
                faults.add(
                    elementPointer, "out_of_range", "The value of an answer is a number from -1e9 to 1e9.")
            }
            let isKnown = written?.contains(answer) ?? (Double(answer)?.isFinite ?? false)
            if !isKnown {
                faults.add(
                    elementPointer, "unknown_option", "\(item.linkId) has no answer \(answer).",
                    naming: item.linkId)
            }
        }
        for answer in written ?? [] where table[answer] == nil {
            faults.add(
                pointer, "no_weight",
                "The answer \(answer) is not in the recoding table, so it would be missing.")
        }
    }
}
