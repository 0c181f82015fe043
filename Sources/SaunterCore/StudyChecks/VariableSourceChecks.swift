/// Checks the sources of variables: what is counted, and which answers, scores or measurements have values.
extension StudyCheck {
    mutating func checkSource(of variable: TailoringVariable, _ pointer: String) {
        guard let source = variable.source else { return }
        let path = "\(pointer)/\(variable.kind.name)"
        let permitted = variable.kind.permittedSources
        if !permitted.contains(source.name) {
            faults.add(
                "\(path)/\(source.name)", "not_permitted",
                "The kind `\(variable.kind.name)` accepts the sources \(permitted.joined(separator: ", ")), not \(source.name)."
            )
            return
        }
        let parts = variable.kind.permittedParts
        if source.parts.isDisjoint(with: parts) {
            faults.add(path, "wrong_value", variable.kind.partSentence)
        }
        switch source {
        case .entry(let entries): check(entries, of: variable, path)
        case .usage(_, let feature, _):
            if let feature, !study.features.contains(where: { $0.code == feature }) {
                faults.add(
                    "\(path)/feature", "unknown_feature", "The study has no feature \(feature.prefix(60)).")
            }
        case .message(let rule, _):
            if let rule, study.rule(rule) == nil,
                !study.notificationRules.contains(where: { $0.code == rule })
            {
                faults.add(
                    "\(path)/message", "unknown_notice",
                    "The study has no notice or rule \(rule.prefix(60)).", naming: rule)
            }
        case .occasion(let schedule, _):
            if let schedule, !study.schedules.contains(where: { $0.id == schedule }) {
                faults.add(
                    "\(path)/occasion", "unknown_schedule",
                    "The study has no schedule \(schedule.prefix(60)).")
            }
        case .walk:
            if study.walking == nil { faults.add("\(path)/walk", "no_walks", "The study has no walks.") }
        case .observation(let system, let code):
            if system == ObservationCode.loinc, !ObservationCode.isLOINC(code) {
                faults.add(
                    "\(path)/observation", "not_a_loinc_code", "\(code.prefix(60)) is not a LOINC code.")
            }
        case .event(let code): checkVariableEvent(code, "\(path)/event")
        case .enrolment: break
        }
    }

    mutating func checkVariableEvent(_ code: String, _ pointer: String) {
        if !study.events.contains(where: { $0.code == code }) {
            faults.add(pointer, "unknown_event", "The study has no event \(code.prefix(60)).", naming: code)
        }
    }

    /// Reports a questionnaire that the study does not have, or whose entries are never active.
    mutating func checkActive(_ questionnaire: String, _ pointer: String) {
        guard study.questionnaire(questionnaire) != nil else {
            faults.add(
                pointer, "unknown_questionnaire",
                "The study has no questionnaire \(questionnaire.prefix(60)).",
                naming: questionnaire)
            return
        }
        if study.anyTimeRule(of: questionnaire)?.isActiveOne != true {
            faults.add(
                pointer, "not_active",
                "\(questionnaire) has no active entry: `any_time` needs `active: one` for it.",
                naming: questionnaire)
        }
    }

    private mutating func check(
        _ entries: TailoringVariable.Entries, of variable: TailoringVariable, _ path: String
    ) {
        if entries.questionnaires.isEmpty {
            faults.add("\(path)/entry", "required", "A source needs at least one questionnaire.")
        }
        var seen: Set<String> = []
        var known: [Questionnaire] = []
        var needsActive = entries.isActive
        if case .list(.some) = variable.kind { needsActive = true }
        for (index, code) in entries.questionnaires.enumerated() {
            let pointer = entries.questionnaires.count == 1 ? "\(path)/entry" : "\(path)/entry/\(index)"
            if !seen.insert(code).inserted {
                faults.add(pointer, "duplicate", "The list already has this questionnaire.")
            } else if let questionnaire = study.questionnaire(code) {
                known.append(questionnaire)
                if needsActive {
                    checkActive(code, entries.isActive ? "\(path)/active" : "\(path)/active_in")
                }
            } else {
                faults.add(
                    pointer, "unknown_questionnaire", "The study has no questionnaire \(code.prefix(60)).",
                    naming: code)
            }
        }
        switch entries.value {
        case .item(let linkId): checkItem(linkId, in: known, of: variable.kind, "\(path)/item")
        case .items(let items): checkItems(items, in: known, of: variable.kind, path)
        case .scale(let scale):
            for questionnaire in known
            where questionnaire.scoring?.scales.contains(where: { $0.id == scale }) != true {
                faults.add(
                    "\(path)/scale", "unknown_scale",
                    "\(questionnaire.code) has no scale \(scale.prefix(60)).",
                    naming: questionnaire.code)
            }
        case nil: break
        }
    }

    private mutating func checkItem(
        _ linkId: String, in questionnaires: [Questionnaire], of kind: TailoringVariable.Kind,
        _ pointer: String
    ) {
        var types: Set<ExpressionType?> = []
        for questionnaire in questionnaires {
            guard let item = item(linkId, of: questionnaire, pointer) else { continue }
            types.insert(item.variableType)
            check(item, of: questionnaire, fits: kind, pointer)
        }
        if types.count > 1, kind.needsOneType {
            faults.add(
                pointer, "different_types", "The questionnaires have answers of different types to \(linkId)."
            )
        }
    }

    private mutating func checkItems(
        _ items: [String], in questionnaires: [Questionnaire], of kind: TailoringVariable.Kind, _ path: String
    ) {
        guard let questionnaire = questionnaires.first else { return }
        if questionnaires.count > 1 {
            faults.add("\(path)/entry", "too_many", "`items` are those of one questionnaire.")
            return
        }
        if items.isEmpty { faults.add("\(path)/items", "required", "The list needs at least one item.") }
        var seen: Set<String> = []
        var first: ExpressionType?
        for (index, linkId) in items.enumerated() {
            let pointer = "\(path)/items/\(index)"
            if !seen.insert(linkId).inserted {
                faults.add(pointer, "duplicate", "The list already has this item.")
            }
            guard let item = item(linkId, of: questionnaire, pointer) else { continue }
            check(item, of: questionnaire, fits: kind, pointer)
            guard let type = item.variableType else { continue }
            if let first, first != type {
                faults.add(
                    pointer, "different_types",
                    "The answer is \(type.name), but the answer to the first item is \(first.name).")
            }
            first = first ?? type
        }
    }

    /// The question of this name, outside repeating groups. If there is none, reports a fault and returns nil.
    private mutating func item(_ linkId: String, of questionnaire: Questionnaire, _ pointer: String) -> Item?
    {
        if let item = questionnaire.questions.first(where: { $0.linkId == linkId }) {
            guard !item.isRepeatingGroup else {
                faults.add(
                    pointer, "wrong_type", "\(linkId) is a group, which has no answer.",
                    naming: questionnaire.code)
                return nil
            }
            return item
        }
        if questionnaire.repeatedQuestions.contains(where: { $0.item.linkId == linkId }) {
            faults.add(
                pointer, "in_group", "\(linkId) has an answer in each instance of its group.",
                naming: questionnaire.code, linkId)
        } else {
            faults.add(
                pointer, "unknown_item", "\(questionnaire.code) has no item \(linkId.prefix(60)).",
                naming: questionnaire.code, linkId)
        }
        return nil
    }

    /// Checks that the answers to an item have the values that the kind needs.
    private mutating func check(
        _ item: Item, of questionnaire: Questionnaire, fits kind: TailoringVariable.Kind, _ pointer: String
    ) {
        switch kind {
        case .latest, .first, .list:
            if item.variableType == nil {
                faults.add(
                    pointer, "wrong_type",
                    "An answer to an item of type \(item.type.rawValue) cannot be the value of a variable.",
                    naming: questionnaire.code, item.linkId)
            }
        case .statistic, .slope, .series:
            if let detail = item.reasonWithoutNumber {
                faults.add(pointer, "not_numeric", detail, naming: questionnaire.code, item.linkId)
            }
        case .top:
            if item.type.form != .options {
                faults.add(
                    pointer, "wrong_type", "\(item.linkId) has no options.", naming: questionnaire.code,
                    item.linkId)
            }
        case .at, .count, .days, .share, .change, .streak, .keys, .expression: break
        }
    }

    // MARK: Keys

    /// Checks that `by` fits the kind and the source.
    mutating func checkGrouping(of variable: TailoringVariable, _ pointer: String) {
        guard let by = variable.by else { return }
        guard variable.kind.acceptsGrouping, let source = variable.source else {
            faults.add(pointer, "not_permitted", "The kind `\(variable.kind.name)` has no `by`.")
            return
        }
        if case .entry(let entries) = source, case .items? = entries.value {
            faults.add(pointer, "not_permitted", "A variable with `items` is keyed by item and has no `by`.")
            return
        }
        switch by {
        case .hour, .weekday, .day:
            if variable.kind == .streak || source == .enrolment || source.name == "event" {
                faults.add(pointer, "not_permitted", "`by: \(by.name)` does not fit the kind or the source.")
            }
        case .feature:
            if source.name != "usage" {
                faults.add(pointer, "not_permitted", "`by: feature` is only possible for usage events.")
            }
        case .questionnaire, .source, .refersTo, .item:
            guard case .entry(let entries) = source else {
                faults.add(pointer, "not_permitted", "`by: \(by.name)` is only possible for entries.")
                return
            }
            checkGrouping(by, of: entries.questionnaires.compactMap { study.questionnaire($0) }, pointer)
        }
    }

    private mutating func checkGrouping(
        _ by: TailoringVariable.Grouping, of questionnaires: [Questionnaire], _ pointer: String
    ) {
        for questionnaire in questionnaires {
            switch by {
            case .refersTo:
                if study.anyTimeRule(of: questionnaire.code)?.refersTo == nil {
                    faults.add(
                        pointer, "no_reference",
                        "An entry of \(questionnaire.code) does not refer to another entry.",
                        naming: questionnaire.code)
                }
            case .item(let linkId):
                guard let item = item(linkId, of: questionnaire, pointer) else { continue }
                let isKey =
                    item.type.definition.variableKey(of: item, in: questionnaire.code) != nil
                    && (item.type.hasOptions || !item.repeats)
                if !isKey {
                    faults.add(
                        pointer, "wrong_type",
                        "Answers to an item of type \(item.type.rawValue) cannot be keys.",
                        naming: questionnaire.code, linkId)
                }
            case .questionnaire, .source, .hour, .weekday, .day, .feature: continue
            }
        }
    }
}

/// The part of a fact that a variable counts or measures.
enum VariablePart: Hashable {
    /// The fact itself.
    case fact
    case item, items, scale
    /// A duration, a metric or an observed value.
    case measurement
}

extension TailoringVariable.Source {
    /// The parts that a variable can use. An observation counts as a fact and has a value.
    fileprivate var parts: Set<VariablePart> {
        switch self {
        case .entry(let entries):
            switch entries.value {
            case .item: [.item]
            case .items: [.items]
            case .scale: [.scale]
            case nil: [.fact]
            }
        case .usage(_, _, let isSeconds): [isSeconds ? .measurement : .fact]
        case .walk(let metric): [metric == nil ? .fact : .measurement]
        case .observation: [.fact, .measurement]
        case .message, .occasion, .enrolment, .event: [.fact]
        }
    }
}

extension TailoringVariable.Kind {
    /// The names of the sources that fit the kind.
    package var permittedSources: [String] {
        let measured = ["entry", "usage", "walk", "observation"]
        return switch self {
        case .latest, .first, .statistic, .slope, .streak: measured
        case .count, .days, .series: measured + ["message", "occasion"]
        case .at: measured + ["message", "occasion", "enrolment", "event"]
        case .share, .top, .list: ["entry"]
        case .change, .keys, .expression: []
        }
    }

    fileprivate var permittedParts: Set<VariablePart> {
        switch self {
        case .latest, .first: [.item, .items, .scale, .measurement]
        case .at, .days, .share, .streak: [.fact]
        case .count: [.fact, .item]
        case .statistic, .slope: [.item, .scale, .measurement]
        case .series: [.fact, .item, .scale, .measurement]
        case .top, .list: [.item]
        case .change, .keys, .expression: []
        }
    }

    /// What the kind needs, for messages.
    fileprivate var partSentence: String {
        switch self {
        case .latest, .first, .statistic, .slope:
            "The kind `\(name)` needs a value: an item, a scale, a metric of a walk, or `field: seconds`."
        case .at, .days, .share, .streak:
            "The kind `\(name)` uses the entries themselves, without an item or a metric."
        case .count: "The kind `count` counts facts or the answers to one item."
        case .series: "The kind `series` has one value per point: one item, one scale or one metric."
        case .top, .list: "The kind `\(name)` needs one item."
        case .change, .keys, .expression: "The kind `\(name)` has no source."
        }
    }

    /// Whether the value of the variable is the answer, so that all questionnaires need answers of one type.
    fileprivate var needsOneType: Bool { self == .latest || self == .first || name == "list" }

    fileprivate var acceptsGrouping: Bool {
        switch self {
        case .latest, .first, .at, .count, .days, .statistic, .share, .top, .slope, .streak: true
        case .series, .change, .keys, .list, .expression: false
        }
    }
}

extension Item {
    /// Why the answers have no numbers; nil if they have.
    fileprivate var reasonWithoutNumber: String? {
        switch type.form {
        case .truth, .number:
            if repeats { return "\(linkId) has several answers." }
            return hasMixedUnits ? "\(linkId) can be answered in several units." : nil
        case .options:
            let hasNumber =
                repeats
                ? answerOption.contains { $0.weight != nil } : answerOption.contains { weight(of: $0) != nil }
            return hasNumber
                ? nil : "The options of \(linkId) are codes without a weight, so they have no number."
        case .nothing, .text, .moment, .ranking, .location:
            return "An answer to an item of type \(type.rawValue) is not a number."
        }
    }
}
