/// The prepared variables of one study version. Create it once per version and cache it.
package struct VariablePlan: Sendable {
    /// What a loader must read. Facts that are not named here may be left out.
    package struct Needs: Sendable, Hashable {
        /// The questionnaires whose sheets are read.
        package var questionnaires: Set<String> = []
        /// Questionnaire -> linkIds of the answers that are read.
        package var answers: [String: Set<String>] = [:]
        /// The questionnaires whose scores are read.
        package var scores: Set<String> = []
        /// The kinds of usage events, see `UsageEventKind`.
        package var usageEvents: Set<String> = []
        /// Whether walks are read.
        package var walks = false
        /// Whether observations are read.
        package var observations = false
        /// Whether messages are read.
        package var messages = false
        /// Whether occasions are read.
        package var occasions = false
        /// Whether named events are read.
        package var events = false
        /// Whether breaks are read.
        package var breaks = false

        /// Creates the needs of a study without variables.
        package init() {}
    }

    let variables: [PlannedVariable]
    /// The study's zone, for participants without a known zone.
    let zone: Zone
    let anyTime: [AnyTimeRule]
    /// Weights and options of the items that variables use.
    let items: [ItemName: PlannedItem]
    private let positions: [String: Int]

    /// Prepares the variables. The study must be valid, see `Study.faults()`.
    package init(_ study: Study) {
        let signatures = VariableSignatures(study)
        variables = study.variables.map { PlannedVariable($0, signatures[$0.id]) }
        positions = Dictionary(
            study.variables.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        zone = study.zone
        anyTime = study.anyTime
        var items: [ItemName: PlannedItem] = [:]
        for variable in study.variables {
            for name in variable.namedItems where items[name] == nil {
                items[name] = study.questionnaire(name.questionnaire)?.questions
                    .first { $0.linkId == name.linkId }.map { PlannedItem($0) }
            }
        }
        self.items = items
    }

    /// What all variables need.
    package var needs: Needs { needs(for: variables.map(\.definition.id)) }

    /// What these variables need, and those on which they depend.
    package func needs(for ids: [String]) -> Needs {
        var needs = Needs()
        var seen: Set<Int> = []
        var pending = ids.compactMap { positions[$0] }
        while let position = pending.popLast() {
            guard seen.insert(position).inserted else { continue }
            let variable = variables[position]
            add(variable, to: &needs)
            pending += variable.definition.dependencies.compactMap { positions[$0] }
        }
        return needs
    }

    /// The values of variables.
    /// - Parameters:
    ///   - ids: nil for all variables in the study's order. Unknown ids are left out.
    ///   - facts: facts that happened after `now` are ignored.
    package func values(
        of ids: [String]? = nil, from facts: VariableFacts, at now: Instant
    ) -> [VariableValue] {
        let wanted = ids.map { $0.compactMap { positions[$0] } } ?? Array(variables.indices)
        guard !wanted.isEmpty else { return [] }
        let evaluation = VariableEvaluation(self, FactIndex(facts, anyTime: anyTime, zone: zone, at: now))
        return wanted.map { evaluation.value(of: $0) }
    }

    /// How the keys and values of a variable are labelled; nil for an unknown id.
    package func shape(of id: String) -> VariableShape? {
        positions[id].flatMap { variables[$0].signature?.shape }
    }

    /// The position of a variable; nil if there is none.
    func position(of id: String) -> Int? { positions[id] }

    private func add(_ variable: PlannedVariable, to needs: inout Needs) {
        let definition = variable.definition
        if definition.kind == .streak { needs.breaks = true }
        var windows = [definition.window]
        if case .list(let window) = definition.kind { windows.append(window) }
        for case .during(let questionnaire)? in windows { addActive(questionnaire, to: &needs) }
        for case .since? in windows { needs.events = true }
        switch definition.source {
        case .entry(let entries): add(entries, of: definition, to: &needs)
        case .usage(let kind, _, _): needs.usageEvents.insert(kind.rawValue)
        case .message: needs.messages = true
        case .occasion: needs.occasions = true
        case .walk: needs.walks = true
        case .observation: needs.observations = true
        case .event: needs.events = true
        case .enrolment, nil: break
        }
    }

    private func add(
        _ entries: TailoringVariable.Entries, of definition: TailoringVariable, to needs: inout Needs
    ) {
        needs.questionnaires.formUnion(entries.questionnaires)
        for name in definition.namedItems {
            needs.answers[name.questionnaire, default: []].insert(name.linkId)
        }
        if case .scale? = entries.value { needs.scores.formUnion(entries.questionnaires) }
        var usesActive = entries.isActive
        if case .list(.some) = definition.kind { usesActive = true }
        if usesActive { for code in entries.questionnaires { addActive(code, to: &needs) } }
    }

    /// Adds the questionnaires that decide which entry is active.
    private func addActive(_ questionnaire: String, to needs: inout Needs) {
        needs.questionnaires.insert(questionnaire)
        if let end = anyTime.first(where: { $0.questionnaire == questionnaire })?.endsWith {
            needs.questionnaires.insert(end)
        }
    }
}

/// The name of an item of a study.
struct ItemName: Hashable {
    let questionnaire: String
    let linkId: String
}

/// What variables need to know about an item.
struct PlannedItem: Sendable {
    let weights: ItemWeights
    /// The index of each option in the pack.
    let optionIndices: [OptionValue: Int]
    let isMultipleChoice: Bool

    init(_ item: Item) {
        weights = ItemWeights(item)
        optionIndices = item.optionIndices
        isMultipleChoice = item.repeats && item.type.hasOptions
    }
}

/// A variable with its parsed expressions.
struct PlannedVariable: Sendable {
    let definition: TailoringVariable
    /// Nil only for a definition with a fault.
    let signature: VariableSignature?
    let expression: Expression?
    let condition: Expression?

    init(_ definition: TailoringVariable, _ signature: VariableSignature?) {
        self.definition = definition
        self.signature = signature
        if case .expression(let source) = definition.kind {
            expression = Self.expression(source, .variables)
        } else {
            expression = nil
        }
        condition = definition.condition.flatMap { Self.expression($0, definition.conditionDialect) }
    }

    /// Nil for an expression with a syntax error, which `Study.faults()` rejects.
    private static func expression(_ source: String, _ dialect: Expression.Dialect) -> Expression? {
        do throws(ExpressionFault) {
            return try Expression(source, dialect: dialect)
        } catch {
            return nil
        }
    }
}

extension TailoringVariable {
    /// What the names in `where` refer to.
    var conditionDialect: Expression.Dialect {
        if case .keys = kind { .variables } else { .answers }
    }

    /// The items that the definition names: those of its source, of `by` and of `where`.
    var namedItems: [ItemName] {
        guard case .entry(let entries)? = source else { return [] }
        var linkIds: [String] = []
        switch entries.value {
        case .item(let linkId): linkIds.append(linkId)
        case .items(let items): linkIds += items
        case .scale, nil: break
        }
        if case .item(let linkId)? = by { linkIds.append(linkId) }
        if let condition {
            do throws(ExpressionFault) {
                linkIds += try Expression(condition).items
            } catch {
                // The check of the study reports the syntax error.
            }
        }
        return entries.questionnaires.flatMap { code in
            linkIds.map { ItemName(questionnaire: code, linkId: $0) }
        }
    }
}
