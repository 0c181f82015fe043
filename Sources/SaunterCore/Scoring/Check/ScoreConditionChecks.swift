/// Checks of covariates and exclusions, and of the conditions of bands, exclusions and table rows.
extension ScoringCheck {
    mutating func checkCovariates() {
        var seen: Set<String> = []
        for (index, covariate) in key.covariates.enumerated() {
            let elementPointer = "/scoring/covariates/\(index)"
            if !DefinitionName.isValid(covariate.id) {
                faults.add("\(elementPointer)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(covariate.id).inserted {
                faults.add(
                    "\(elementPointer)/id", "duplicate_id", "An earlier covariate has the id \(covariate.id)."
                )
            }
            if key.scales.contains(where: { $0.id == covariate.id })
                || items[covariate.id] != nil && covariate.source != .item(covariate.id)
            {
                faults.add(
                    "\(elementPointer)/id", "ambiguous_item",
                    "An item or a scale has the name \(covariate.id).",
                    naming: covariate.id)
            }
            guard case .item(let linkId) = covariate.source else { continue }
            guard let item = items[linkId], item.type.isQuestion else {
                faults.add(
                    "\(elementPointer)/item", "unknown_item", "There is no item \(linkId).", naming: linkId)
                continue
            }
            for code in covariate.codes where !item.namedAnswers.contains(code) {
                faults.add(
                    "\(elementPointer)/codes", "unknown_option", "\(linkId) has no answer \(code).",
                    naming: linkId)
            }
        }
    }

    mutating func checkExclusions(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        var seen: Set<String> = []
        for (index, exclusion) in scale.exclude.enumerated() {
            let elementPointer = "\(pointer)/exclude/\(index)"
            if !DefinitionName.isValid(exclusion.id) {
                faults.add("\(elementPointer)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(exclusion.id).inserted {
                faults.add(
                    "\(elementPointer)/id", "duplicate_id", "An earlier exclusion has the id \(exclusion.id)."
                )
            }
            if exclusion.conditions.isEmpty {
                faults.add("\(elementPointer)/when", "no_conditions", "An exclusion needs a condition.")
            }
            checkConditions(exclusion.conditions, elementPointer, earlier: earlier)
        }
    }

    /// Checks the conditions of a band, an exclusion or a table row.
    /// - Parameter earlier: the index of each earlier scale by id.
    mutating func checkConditions(
        _ conditions: [ScoreCondition], _ pointer: String, earlier: [String: Int]
    ) {
        for (index, condition) in conditions.enumerated() {
            let elementPointer = "\(pointer)/when/\(index)"
            if case .range(let range) = condition.test {
                checkRange(range, elementPointer, "The condition")
                if range.isUnbounded {
                    faults.add(elementPointer, "no_range", "The condition needs `is`, or an end of a range.")
                }
            }
            if let item = items[condition.name] {
                check(condition, of: item, elementPointer)
            } else if earlier[condition.name] != nil {
                if case .code = condition.test {
                    faults.add(
                        "\(elementPointer)/is", "not_a_code",
                        "A score is a number, so it cannot be equal to a code.")
                }
            } else if let covariate = covariates[condition.name] {
                check(condition, of: covariate, elementPointer)
            } else if key.scales.contains(where: { $0.id == condition.name }) {
                faults.add(
                    "\(elementPointer)/of", "later_scale", "The scale \(condition.name) is defined later.")
            } else {
                faults.add(
                    "\(elementPointer)/of", "unknown_item",
                    "There is no item, earlier scale or covariate \(condition.name).", naming: condition.name)
            }
        }
    }

    private mutating func check(_ condition: ScoreCondition, of item: Item, _ pointer: String) {
        switch condition.test {
        case .code(let code):
            if !item.namedAnswers.contains(code) {
                faults.add(
                    "\(pointer)/is", "unknown_option", "\(item.linkId) has no answer \(code).",
                    naming: item.linkId)
            }
        case .range:
            let isNumeric =
                switch item.type.form {
                case .truth: true
                case .number: !item.repeats && !item.hasMixedUnits
                case .options: item.hasWeights
                case .nothing, .text, .moment, .ranking, .location: false
                }
            if !isNumeric {
                faults.add(
                    "\(pointer)/of", "not_numeric", "\(item.linkId) has no numeric value.",
                    naming: item.linkId)
            }
        }
    }

    private mutating func check(_ condition: ScoreCondition, of covariate: Covariate, _ pointer: String) {
        if case .item(let linkId) = covariate.source {
            if let item = items[linkId] { check(condition, of: item, pointer) }
            return
        }
        switch condition.test {
        case .code(let code):
            if !covariate.codes.contains(code) {
                faults.add("\(pointer)/is", "unknown_option", "\(covariate.id) has no code \(code).")
            }
        case .range:
            if !covariate.codes.isEmpty {
                faults.add("\(pointer)/of", "not_numeric", "\(covariate.id) is a code, not a number.")
            }
        }
    }
}

extension Item {
    /// The answers that a condition can name as a code.
    fileprivate var namedAnswers: [String] {
        repeats && type.hasOptions ? [] : type.definition.writtenAnswers(to: self) ?? []
    }
}
