extension ScoringCheck {
    mutating func checkCovariates() {
        var seen: Set<String> = []
        for (index, covariate) in key.covariates.enumerated() {
            let here = "/scoring/covariates/\(index)"
            if !DefinitionName.isValid(covariate.id) {
                faults.add("\(here)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(covariate.id).inserted {
                faults.add("\(here)/id", "duplicate_id", "An earlier covariate has the id \(covariate.id).")
            }
            if key.scales.contains(where: { $0.id == covariate.id })
                || items[covariate.id] != nil && covariate.source != .item(covariate.id)
            {
                faults.add("\(here)/id", "ambiguous_item", "An item or a scale has the name \(covariate.id).")
            }
            guard case .item(let linkId) = covariate.source else { continue }
            guard let item = items[linkId], item.type.isQuestion else {
                faults.add("\(here)/item", "unknown_item", "There is no item \(linkId).")
                continue
            }
            for code in covariate.codes where !item.codes.contains(code) {
                faults.add("\(here)/codes", "unknown_option", "\(linkId) has no answer \(code).")
            }
        }
    }

    mutating func checkExclusions(_ scale: Scale, _ pointer: String, earlier: [String: Int]) {
        var seen: Set<String> = []
        for (index, exclusion) in scale.exclude.enumerated() {
            let here = "\(pointer)/exclude/\(index)"
            if !DefinitionName.isValid(exclusion.id) {
                faults.add("\(here)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(exclusion.id).inserted {
                faults.add("\(here)/id", "duplicate_id", "An earlier exclusion has the id \(exclusion.id).")
            }
            if exclusion.conditions.isEmpty {
                faults.add("\(here)/when", "no_conditions", "An exclusion needs a condition.")
            }
            checkConditions(exclusion.conditions, here, earlier: earlier)
        }
    }

    /// Conditions of a band, an exclusion or a row; `earlier` are the scales that stand before.
    mutating func checkConditions(
        _ conditions: [ScoreCondition], _ pointer: String, earlier: [String: Int]
    ) {
        for (index, condition) in conditions.enumerated() {
            let here = "\(pointer)/when/\(index)"
            if case .range(let range) = condition.test {
                checkRange(range, here, "The condition")
                if range.isEverything { faults.add(here, "no_range", "The condition needs is or an end.") }
            }
            if let item = items[condition.name] {
                check(condition, of: item, here)
            } else if earlier[condition.name] != nil {
                if case .code = condition.test {
                    faults.add("\(here)/is", "not_a_code", "A score is a number, not a code.")
                }
            } else if let covariate = covariates[condition.name] {
                check(condition, of: covariate, here)
            } else if key.scales.contains(where: { $0.id == condition.name }) {
                faults.add("\(here)/of", "later_scale", "The scale \(condition.name) stands later.")
            } else {
                faults.add(
                    "\(here)/of", "unknown_item",
                    "There is no item, earlier scale or covariate \(condition.name).")
            }
        }
    }

    private mutating func check(_ condition: ScoreCondition, of item: Item, _ pointer: String) {
        switch condition.test {
        case .code(let code):
            if !item.codes.contains(code) {
                faults.add("\(pointer)/is", "unknown_option", "\(item.linkId) has no answer \(code).")
            }
        case .range:
            let counts =
                switch item.type {
                case .boolean: true
                case .integer, .decimal: !item.repeats
                case .quantity: !item.repeats && item.unitOption.count == 1
                case .choice, .openChoice: !item.answerOption.contains { item.weight(of: $0) == nil }
                default: false
                }
            if !counts {
                faults.add("\(pointer)/of", "not_numeric", "\(item.linkId) counts as no number.")
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
    /// The answers that a condition can name.
    fileprivate var codes: [String] {
        switch type {
        case .boolean: ["true", "false"]
        case .choice, .openChoice: repeats ? [] : answerOption.map(\.value.text)
        default: []
        }
    }
}
