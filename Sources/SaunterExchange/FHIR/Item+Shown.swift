import SaunterCore

/// What stands under a question there stands beside it here, and is shown where the question is shown, too.
extension Item {
    /// Whether answers decide that it is shown.
    var isConditional: Bool { !enableWhen.isEmpty || enableWhenExpression != nil }

    private var asksForAll: Bool { enableBehavior == .all || enableWhen.count < 2 }

    /// The item, shown only where another one is shown, too; nil where conditions and an expression cannot say that.
    func shown(with outer: Item, _ words: ConditionWords) -> Item? {
        var inner = self
        if asksForAll, outer.asksForAll {
            inner.enableWhen = outer.enableWhen + enableWhen.filter { !outer.enableWhen.contains($0) }
            inner.enableBehavior = .all
            return inner.shown(by: [outer.enableWhenExpression, enableWhenExpression])
        }
        if outer.enableWhen.isEmpty {
            return shown(by: [outer.enableWhenExpression, enableWhenExpression])
        }
        // The conditions of an item are joined in one way: of two such lists one becomes an expression.
        if !enableWhen.isEmpty, let said = words.expression(outer.enableWhen, outer.enableBehavior),
            let item = shown(by: [said, outer.enableWhenExpression, enableWhenExpression])
        {
            return item
        }
        (inner.enableWhen, inner.enableBehavior) = (outer.enableWhen, outer.enableBehavior)
        if enableWhen.isEmpty {
            return inner.shown(by: [outer.enableWhenExpression, enableWhenExpression])
        }
        guard let said = words.expression(enableWhen, enableBehavior) else { return nil }
        return inner.shown(by: [outer.enableWhenExpression, said, enableWhenExpression])
    }

    /// What is the item's own where it is shown with another one: the opposite of `shown(with:)`, where there is one.
    func without(_ outer: Item, _ words: ConditionWords) -> Item {
        guard isConditional, outer.isConditional else { return self }
        var own = self
        if enableWhen.starts(with: outer.enableWhen) {
            own.enableWhen.removeFirst(outer.enableWhen.count)
            if own.enableWhen.isEmpty { own.enableBehavior = .all }
        }
        own.enableWhenExpression = Self.rest(of: enableWhenExpression, after: [outer.enableWhenExpression])
        if own.shown(with: outer, words) == self { return own }
        let said = words.expression(outer.enableWhen, outer.enableBehavior)
        (own.enableWhen, own.enableBehavior) = (enableWhen, enableBehavior)
        own.enableWhenExpression = Self.rest(
            of: enableWhenExpression, after: [said, outer.enableWhenExpression])
        return own.shown(with: outer, words) == self ? own : self
    }

    /// The item with expressions that must all hold; nil where together they are more than one expression can be.
    private func shown(by expressions: [String?]) -> Item? {
        let parts = expressions.compactMap(\.self)
        let source = parts.count < 2 ? parts.first : parts.map { "(\($0))" }.joined(separator: " and ")
        if let source, (try? Expression(source)) == nil { return nil }
        var item = self
        item.enableWhenExpression = source
        return item
    }

    /// What stands behind expressions with which another was joined; nil where nothing does.
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
