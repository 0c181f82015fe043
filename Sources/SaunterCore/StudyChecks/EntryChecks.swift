/// Checks entries, settings and features: `any_time`, `settings` and `features` of a study.
extension StudyCheck {
    mutating func checkEntries() {
        var listed: Set<String> = []
        for (index, rule) in study.anyTime.enumerated() {
            let pointer = "/any_time/\(index)"
            checkKnown(rule.questionnaire, pointer)
            if !listed.insert(rule.questionnaire).inserted {
                faults.add(pointer, "duplicate", "The list already has this questionnaire.")
            }
            if let maximum = rule.maximumPerDay { checkMaximum(maximum, of: rule, "\(pointer)/max_per_day") }
            if let schedule = rule.fulfilledSchedule {
                checkFulfilled(schedule, by: rule, "\(pointer)/settles")
            }
            if let end = rule.endsWith { checkEnd(end, of: rule, "\(pointer)/ends_with") }
            if let reference = rule.refersTo { checkKnown(reference.questionnaire, "\(pointer)/refers_to") }
        }
        checkReferenceCycles()
        checkSettings()
        checkFeatures()
    }

    /// Reports a questionnaire that the study does not have.
    private mutating func checkKnown(_ questionnaire: String, _ pointer: String) {
        guard study.questionnaire(questionnaire) == nil else { return }
        faults.add(
            pointer, "unknown_questionnaire", "The study has no questionnaire \(questionnaire).",
            naming: questionnaire)
    }

    /// A schedule with more occasions on one day than the maximum could never be fulfilled.
    private mutating func checkMaximum(_ maximum: Int, of rule: AnyTimeRule, _ pointer: String) {
        checkPositive(maximum, pointer)
        let occasions =
            study.schedules.filter { $0.questionnaire == rule.questionnaire }
            .map { $0.slots.reduce(0) { $0 + $1.windowCount } }.max() ?? 0
        if maximum >= 1, occasions > maximum {
            faults.add(
                pointer, "below_schedule",
                "A schedule asks this questionnaire \(occasions) times a day, which is more than the maximum."
            )
        }
    }

    private mutating func checkFulfilled(_ id: String, by rule: AnyTimeRule, _ pointer: String) {
        guard let schedule = study.schedules.first(where: { $0.id == id }) else {
            faults.add(pointer, "unknown_schedule", "The study has no schedule \(id).")
            return
        }
        if schedule.questionnaire != rule.questionnaire {
            faults.add(
                pointer, "wrong_questionnaire",
                "Schedule \(id) asks \(schedule.questionnaire), not \(rule.questionnaire).")
        }
    }

    private mutating func checkEnd(_ end: String, of rule: AnyTimeRule, _ pointer: String) {
        if !rule.isActiveOne {
            faults.add(pointer, "not_active", "Only entries with `active: one` can be ended.")
        }
        guard study.questionnaire(end) != nil else {
            checkKnown(end, pointer)
            return
        }
        guard let endRule = study.anyTimeRule(of: end) else {
            faults.add(pointer, "not_any_time", "\(end) is not listed in any_time.", naming: end)
            return
        }
        if endRule.refersTo?.questionnaire != rule.questionnaire {
            faults.add(
                pointer, "does_not_refer",
                "\(end) must have `refers_to: \(rule.questionnaire)`, so that an end names the entry that it ends."
            )
        }
    }

    /// Reports each cycle of `refers_to` once, at its first rule. Entries of a cycle could not begin.
    private mutating func checkReferenceCycles() {
        let targets = Dictionary(
            study.anyTime.compactMap { rule in rule.refersTo.map { (rule.questionnaire, $0.questionnaire) } },
            uniquingKeysWith: { first, _ in first })
        var reported: Set<String> = []
        for (index, rule) in study.anyTime.enumerated() where !reported.contains(rule.questionnaire) {
            var path = [rule.questionnaire]
            while let next = targets[path[path.count - 1]] {
                if next == rule.questionnaire {
                    reported.formUnion(path)
                    faults.add(
                        "/any_time/\(index)/refers_to", "cycle",
                        "The references form a cycle: \((path + [next]).joined(separator: ", ")).")
                    break
                }
                // A cycle that does not contain this rule is reported at one of the rules that it contains.
                if path.contains(next) { break }
                path.append(next)
            }
        }
    }

    private mutating func checkSettings() {
        var listed: Set<String> = []
        // linkId -> the settings questionnaire that contains it.
        var owners: [String: String] = [:]
        for (index, code) in study.settings.enumerated() {
            let pointer = "/settings/\(index)"
            guard listed.insert(code).inserted else {
                faults.add(pointer, "duplicate", "The list already has this questionnaire.")
                continue
            }
            checkKnown(code, pointer)
            if study.anyTimeRule(of: code) != nil {
                faults.add(
                    pointer, "also_any_time",
                    "\(code) is listed in any_time. A setting can be changed at any time without that.")
            }
            if let schedule = study.schedules.first(where: { $0.questionnaire == code }) {
                faults.add(
                    pointer, "also_scheduled",
                    "Schedule \(schedule.id) asks \(code). Settings are never asked by a schedule.")
            }
            guard let questionnaire = study.questionnaire(code) else { continue }
            for item in questionnaire.requiredItemsWithoutDefault {
                faults.add(
                    pointer, "no_default",
                    "Item \(item) of \(code) is required and needs `initial`, the value before the first change.",
                    naming: code)
            }
            for item in questionnaire.questions.map(\.linkId) {
                guard let owner = owners.updateValue(code, forKey: item) else { continue }
                faults.add(
                    pointer, "duplicate_item",
                    "Item \(item) is in \(owner) and in \(code). Names of settings are unique in a study.",
                    naming: code)
            }
        }
    }

    private mutating func checkFeatures() {
        var seen: Set<String> = []
        for (index, feature) in study.features.enumerated() {
            let pointer = "/features/\(index)"
            if !Self.isIdentifier(feature.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(feature.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another feature has this code.")
            }
            if let code = feature.questionnaire { checkKnown(code, "\(pointer)/questionnaire") }
            if let code = feature.settings, !study.settings.contains(code) {
                faults.add(
                    "\(pointer)/settings", "unknown_setting",
                    "\(code) is not listed in the settings of the study.", naming: code)
            }
            if let page = study.completed(feature).page { check(page, of: feature, pointer) }
        }
    }

    /// Checks that a feature has what its kind of page shows.
    private mutating func check(_ page: StudyFeature.Page, of feature: StudyFeature, _ pointer: String) {
        switch page {
        case .entry, .journal, .goal, .ranking:
            if study.completed(feature).questionnaire == nil {
                faults.add(
                    pointer, "no_questionnaire",
                    "A page of kind \(page.rawValue) needs the key `questionnaire`.", naming: feature.code)
            }
        case .entries, .insights: break
        case .walk:
            if study.walking == nil {
                faults.add("\(pointer)/page", "no_walks", "The study has no walks.")
            }
        case .contacts, .cards, .player, .pacer:
            guard let collection = feature.collection else {
                faults.add(
                    pointer, "no_collection",
                    "A page of kind \(page.rawValue) needs the key `collection`.", naming: feature.code)
                return
            }
            if let library, library.collection(collection) == nil {
                faults.add(
                    "\(pointer)/collection", "unknown_collection",
                    "The library has no collection \(collection.prefix(60)).")
            }
        case .programmes:
            if study.practices.isEmpty {
                faults.add(
                    "\(pointer)/page", "no_practices",
                    "No questionnaire of the study has `practice: true`.")
            }
        case .report, .groups:
            faults.add(
                "\(pointer)/page", "not_available",
                "Pages of kind \(page.rawValue) are not available yet.")
        }
    }
}

extension Questionnaire {
    /// The linkIds of required questions that are always shown and have no `initial` answer.
    fileprivate var requiredItemsWithoutDefault: [String] {
        func collect(_ items: [Item]) -> [String] {
            items.flatMap { item -> [String] in
                guard item.enableWhen.isEmpty, item.enableWhenExpression == nil else { return [] }
                if item.type == .group, !item.repeats { return collect(item.item) }
                return item.acceptsAnswer && item.required && item.initial == nil ? [item.linkId] : []
            }
        }
        return collect(item)
    }
}
