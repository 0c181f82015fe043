import SaunterCore

extension QuestionnaireDraft {
    /// Adds the conditions of each question to the items that it contains in the source, because they are shown only if
    /// the question is shown. Call `removeInvalidProperties` first: a combined condition with one invalid part would be
    /// removed completely, with its valid part.
    /// - Parameter parentQuestions: linkId -> linkId of the question that contains the item; the question comes first.
    mutating func addParentConditions(_ parentQuestions: [String: String]) {
        let writer = ConditionExpressionWriter(items: questionnaire.item)
        let failed = Self.addParentConditions(&questionnaire.item, parentQuestions, writer)
        remarks += failed.map { linkId, outer in
            Remark(
                location: locations[linkId] ?? location,
                detail: "\(linkId) and its children are shown even if \(outer) is not: "
                    + "the conditions of both cannot be combined")
        }
    }

    /// - Returns: the items whose conditions could not be combined with those of their question.
    private static func addParentConditions(
        _ items: inout [Item], _ parentQuestions: [String: String], _ writer: ConditionExpressionWriter
    ) -> [(linkId: String, outer: String)] {
        var failed: [(linkId: String, outer: String)] = []
        var completed: [String: Item] = [:]
        for index in items.indices {
            let linkId = items[index].linkId
            if let outer = parentQuestions[linkId].flatMap({ completed[$0] }), outer.isConditional {
                if let item = items[index].addingConditions(of: outer, writer) {
                    items[index] = item
                } else {
                    failed.append((linkId, outer.linkId))
                }
            }
            completed[linkId] = items[index]
            failed += addParentConditions(&items[index].item, parentQuestions, writer)
        }
        return failed
    }
}

/// Combines the conditions of an item with those of another item that must also be shown.
extension Item {
    /// Whether answers decide if the item is shown.
    var isConditional: Bool { !enableWhen.isEmpty || enableWhenExpression != nil }

    private var requiresAllConditions: Bool { enableBehavior == .all || enableWhen.count < 2 }

    /// The item with the additional condition that `outer` is shown; nil if conditions and one expression cannot
    /// express that.
    func addingConditions(of outer: Item, _ writer: ConditionExpressionWriter) -> Item? {
        var inner = self
        if requiresAllConditions, outer.requiresAllConditions {
            inner.enableWhen = outer.enableWhen + enableWhen.filter { !outer.enableWhen.contains($0) }
            inner.enableBehavior = .all
            return inner.settingExpression(toAllOf: [outer.enableWhenExpression, enableWhenExpression])
        }
        if outer.enableWhen.isEmpty {
            return settingExpression(toAllOf: [outer.enableWhenExpression, enableWhenExpression])
        }
        // `enableBehavior` combines all conditions of an item in the same way, so one of the two lists becomes an
        // expression.
        if !enableWhen.isEmpty, let expression = writer.expression(outer.enableWhen, outer.enableBehavior),
            let item = settingExpression(toAllOf: [
                expression, outer.enableWhenExpression, enableWhenExpression,
            ])
        {
            return item
        }
        (inner.enableWhen, inner.enableBehavior) = (outer.enableWhen, outer.enableBehavior)
        if enableWhen.isEmpty {
            return inner.settingExpression(toAllOf: [outer.enableWhenExpression, enableWhenExpression])
        }
        guard let expression = writer.expression(enableWhen, enableBehavior) else { return nil }
        return inner.settingExpression(toAllOf: [
            outer.enableWhenExpression, expression, enableWhenExpression,
        ])
    }

    /// The item without the conditions of `outer`: the inverse of `addingConditions(of:)`. Returns the item unchanged
    /// if there is no inverse.
    func removingConditions(of outer: Item, _ writer: ConditionExpressionWriter) -> Item {
        guard isConditional, outer.isConditional else { return self }
        var own = self
        if enableWhen.starts(with: outer.enableWhen) {
            own.enableWhen.removeFirst(outer.enableWhen.count)
            if own.enableWhen.isEmpty { own.enableBehavior = .all }
        }
        own.enableWhenExpression = Self.rest(of: enableWhenExpression, after: [outer.enableWhenExpression])
        if own.addingConditions(of: outer, writer) == self { return own }
        let expression = writer.expression(outer.enableWhen, outer.enableBehavior)
        (own.enableWhen, own.enableBehavior) = (enableWhen, enableBehavior)
        own.enableWhenExpression = Self.rest(
            of: enableWhenExpression, after: [expression, outer.enableWhenExpression])
        return own.addingConditions(of: outer, writer) == self ? own : self
    }

    /// The item with the conjunction of these expressions as its `enableWhenExpression`; nil if the conjunction is not
    /// a valid expression.
    private func settingExpression(toAllOf expressions: [String?]) -> Item? {
        let parts = expressions.compactMap(\.self)
        let source = parts.count < 2 ? parts.first : parts.map { "(\($0))" }.joined(separator: " and ")
        if let source, (try? Expression(source)) == nil { return nil }
        var item = self
        item.enableWhenExpression = source
        return item
    }

    /// The rest of a conjunction without the given expressions; nil if nothing is left.
    private static func rest(of source: String?, after expressions: [String?]) -> String? {
        let parts = expressions.compactMap(\.self)
        guard let source, !parts.isEmpty else { return source }
        let head = parts.map { "(\($0)) and " }.joined() + "("
        if source.hasPrefix(head), source.hasSuffix(")") {
            return String(source.dropFirst(head.count).dropLast())
        }
        let joined = parts.count == 1 ? parts[0] : parts.map { "(\($0))" }.joined(separator: " and ")
        return source == joined ? nil : source
    }
}
