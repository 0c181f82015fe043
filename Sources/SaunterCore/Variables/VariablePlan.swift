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

        /// Adds what other variables or rules need.
        package mutating func formUnion(_ other: Needs) {
            questionnaires.formUnion(other.questionnaires)
            answers.merge(other.answers) { $0.union($1) }
            scores.formUnion(other.scores)
            usageEvents.formUnion(other.usageEvents)
            walks = walks || other.walks
            observations = observations || other.observations
            messages = messages || other.messages
            occasions = occasions || other.occasions
            events = events || other.events
            breaks = breaks || other.breaks
        }
    }

    let variables: [PlannedVariable]
    /// The study's zone, for participants without a known zone.
    let zone: Zone
    let anyTime: [AnyTimeRule]
    /// Weights and options of the items that variables use.
    let items: [ItemName: PlannedItem]
    private let positions: [String: Int]
    /// What each variable needs, with the variables on which it depends.
    private let variableNeeds: [Needs]

    /// Prepares the variables. The study must be valid, see `Study.faults()`.
    package init(_ study: Study) {
        let signatures = VariableSignatures(study)
        let variables = study.variables.map { PlannedVariable($0, signatures[$0.id]) }
        let positions = Dictionary(
            study.variables.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.variables = variables
        self.positions = positions
        variableNeeds = variables.indices.map { Needs(of: $0, variables, positions, study.anyTime) }
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
        ids.compactMap { positions[$0] }.reduce(into: Needs()) { $0.formUnion(variableNeeds[$1]) }
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
}

extension VariablePlan.Needs {
    /// What the variable at a position needs, with the variables on which it depends.
    fileprivate init(
        of position: Int, _ variables: [PlannedVariable], _ positions: [String: Int], _ anyTime: [AnyTimeRule]
    ) {
        var seen: Set<Int> = []
        var pending = [position]
        while let position = pending.popLast() {
            guard seen.insert(position).inserted else { continue }
            let definition = variables[position].definition
            add(definition, anyTime)
            pending += definition.dependencies.compactMap { positions[$0] }
        }
    }

    private mutating func add(_ definition: TailoringVariable, _ anyTime: [AnyTimeRule]) {
        if definition.kind == .streak { breaks = true }
        var windows = [definition.window]
        if case .list(let window) = definition.kind { windows.append(window) }
        for case .during(let questionnaire)? in windows { addActive(questionnaire, anyTime) }
        for case .since? in windows { events = true }
        switch definition.source {
        case .entry(let entries): add(entries, of: definition, anyTime)
        case .usage(let kind, _, _): usageEvents.insert(kind.rawValue)
        case .message: messages = true
        case .occasion: occasions = true
        case .walk: walks = true
        case .observation: observations = true
        case .event: events = true
        case .enrolment, nil: break
        }
    }

    private mutating func add(
        _ entries: TailoringVariable.Entries, of definition: TailoringVariable, _ anyTime: [AnyTimeRule]
    ) {
        questionnaires.formUnion(entries.questionnaires)
        for name in definition.namedItems { answers[name.questionnaire, default: []].insert(name.linkId) }
        if case .scale? = entries.value { scores.formUnion(entries.questionnaires) }
        var usesActive = entries.isActive
        if case .list(.some) = definition.kind { usesActive = true }
        if usesActive { for code in entries.questionnaires { addActive(code, anyTime) } }
    }

    /// Adds the questionnaires that decide which entry is active.
    private mutating func addActive(_ questionnaire: String, _ anyTime: [AnyTimeRule]) {
        questionnaires.insert(questionnaire)
        if let end = anyTime.first(where: { $0.questionnaire == questionnaire })?.endsWith {
            questionnaires.insert(end)
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

    init(_ item: Item) {
        weights = ItemWeights(item)
        optionIndices = item.optionIndices
    }
}

/// A variable with its parsed expressions.
struct PlannedVariable: Sendable {
    var definition: TailoringVariable
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
