/// Checks of the rule for missing answers of a scale.
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

    /// Checks that the answered items can represent all items, and that all weights are greater than 0.
    private mutating func checkAllowsMissingItems(_ scale: Scale, _ pointer: String) {
        if scale.items.count > 1, !scale.method.allowsMissingItems {
            faults.add(
                pointer, "bad_rule",
                "The method \(scale.method.rawValue) needs every item. The rule must be complete, exclude or impute."
            )
        }
        if scale.weights.values.contains(where: { $0 <= 0 }) {
            faults.add(
                pointer, "bad_rule", "If items can be missing, every weight must be greater than 0.")
        }
    }

    private func range(of item: Item, _ scale: Scale) -> (minimum: Quantity, maximum: Quantity)? {
        ItemWeights(item, recode: scale.recode[item.linkId]).declaredRange
    }
}
