/// A condition that limits the items of a collection for a participant (`where`). A name is a field of the collection
/// or, if there is no such field, a tailoring variable.
package struct ContentCondition: Sendable {
    private let expression: Expression
    private let fields: Set<String>
    /// The ids of the tailoring variables that the condition names.
    package let variables: [String]

    /// - Throws: the first syntax fault.
    package init(_ source: String, over collection: ContentCollection) throws(ExpressionFault) {
        expression = try Expression(source, dialect: .variables)
        let fields = Set(collection.fields.map(\.name))
        self.fields = fields
        var ids: [String] = []
        for name in expression.items where !fields.contains(name) {
            let id = VariableName(name).id
            if !ids.contains(id) { ids.append(id) }
        }
        variables = ids
    }

    /// Checks names and types.
    /// - Throws: the first fault, also if the condition is not true or false.
    package static func check(
        _ source: String, over collection: ContentCollection, of study: Study
    ) throws(ExpressionFault) {
        let condition = try ContentCondition(source, over: collection)
        let types = Dictionary(collection.fields.map { ($0.name, $0.kind.expressionType) }) { first, _ in
            first
        }
        let signatures = VariableSignatures(study).check()
        let check = ExpressionCheck(
            type: { name in
                guard let field = types[name] else { return signatures.type(name) }
                guard let type = field else {
                    return .failure(.init(detail: "an expression cannot name the field \(name)"))
                }
                return .success(type)
            }, codes: { types[$0] == nil ? signatures.codes($0) : nil })
        try check.check(condition.expression, expects: .boolean)
    }

    /// Whether the condition holds for an item. A blank counts as false.
    /// - Parameter scope: the participant's variables; nil if the condition names none.
    func holds(for item: ContentItem, in scope: ExpressionScope?) -> Bool {
        let own = ExpressionScope(
            value: { name in
                guard fields.contains(name) else { return scope?.value(name) ?? .blank }
                return item.values[name]?.expressionValue
                    ?? item.words.sorted { $0.key < $1.key }.lazy.compactMap { $0.value[name] }.first?
                    .expressionValue ?? .blank
            }, today: scope?.today, localDate: { scope?.localDate($0) })
        return expression.value(in: own).truth == true
    }
}

extension VariablePlan {
    /// The values of variables for an expression, computed when it names them.
    /// - Parameter facts: facts that happened after `now` are ignored.
    package func scope(from facts: VariableFacts, at now: Instant) -> ExpressionScope {
        VariableEvaluation(self, FactIndex(facts, anyTime: anyTime, zone: zone, at: now)).scope(at: nil)
    }
}
