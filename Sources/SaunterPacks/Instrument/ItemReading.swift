import SaunterCore

/// Reads the items of `questionnaire.yaml`: first all of them without what refers to others, then defaults and conditions,
/// whose values have the type of the item that they belong to.
struct ItemReading {
    static let keys = [
        "linkId", "type", "required", "repeats", "readOnly", "hidden", "answerOption", "minValue", "maxValue",
        "minLength",
        "maxLength", "maxDecimalPlaces", "step", "unit", "itemControl", "initial", "enableWhen",
        "enableBehavior", "item",
    ]

    let log: FaultLog
    let optionSets: [String: [ResponseOption]]

    /// Groups, displayed texts and questions together.
    static let maximumItems = 2000

    func items(_ node: YAMLNode) -> [Item] {
        let items = tree(node)
        let all = flattened(items)
        guard all.count <= Self.maximumItems else {
            log.note(node.line, "more than \(Self.maximumItems) items")
            return []
        }
        let byLinkId = Dictionary(all.map { ($0.linkId, $0) }) { first, _ in first }
        return completed(items, node, byLinkId)
    }

    private func tree(_ node: YAMLNode) -> [Item] {
        node.list(log, of: { node, _ in item(node) }) ?? []
    }

    private func item(_ node: YAMLNode) -> Item? {
        guard let fields = Fields(node, of: "an item", keys: Self.keys, log: log) else { return nil }
        let type: ItemType? = fields.required("type") { $0.choice($1) }
        guard let linkId = fields.required("linkId", { $0.text($1) }), let type else { return nil }
        var item = Item(linkId: linkId, type: type)
        item.required = fields.optional("required") { $0.boolean($1) } ?? false
        item.repeats = fields.optional("repeats") { $0.boolean($1) } ?? false
        item.readOnly = fields.optional("readOnly") { $0.boolean($1) } ?? false
        item.hidden = fields.optional("hidden") { $0.boolean($1) } ?? false
        item.answerOption = fields["answerOption"].map(options) ?? []
        item.minValue = fields.optional("minValue") { $0.number($1) }
        item.maxValue = fields.optional("maxValue") { $0.number($1) }
        item.minLength = fields.optional("minLength") { $0.integer($1) }
        item.maxLength = fields.optional("maxLength") { $0.integer($1) }
        item.maxDecimalPlaces = fields.optional("maxDecimalPlaces") { $0.integer($1) }
        item.step = fields.optional("step") { $0.number($1) }
        item.unit = fields.optional("unit") { $0.text($1) }
        item.itemControl = fields.optional("itemControl") { $0.choice($1) }
        item.enableBehavior = fields.optional("enableBehavior") { $0.choice($1) } ?? .all
        item.item = fields["item"].map(tree) ?? []
        return item
    }

    /// A list of options, or `{set: name}`.
    private func options(_ node: YAMLNode) -> [ResponseOption] {
        guard case .mapping = node.content else { return OptionReading(log: log).options(node) }
        guard let fields = Fields(node, of: "answerOption", keys: ["set"], log: log),
            let name = fields.required("set", { $0.text($1) })
        else { return [] }
        guard let options = optionSets[name] else {
            let hint =
                nearestName(to: name, among: optionSets.keys.sorted()).map { "; did you mean \"\($0)\"?" }
                ?? ""
            log.note(fields.line(of: "set"), "there is no option set \"\(name)\"\(hint)")
            return []
        }
        return options
    }

    private func flattened(_ items: [Item]) -> [Item] {
        items.flatMap { [$0] + flattened($0.item) }
    }

    /// Adds defaults and conditions. Walks the text and the items side by side; where an item was unreadable the log is
    /// incomplete already, and the two are no longer in step.
    private func completed(_ items: [Item], _ node: YAMLNode, _ byLinkId: [String: Item]) -> [Item] {
        guard case .sequence(let nodes) = node.content, nodes.count == items.count else { return items }
        return zip(items, nodes).map { item, node in
            var item = item
            item.initial = node["initial"].flatMap { AnswerReading(log: log, item: item).answer($0) }
            item.enableWhen = node["enableWhen"].map { conditions($0, byLinkId) } ?? []
            if let children = node["item"] { item.item = completed(item.item, children, byLinkId) }
            return item
        }
    }

    private func conditions(_ node: YAMLNode, _ byLinkId: [String: Item]) -> [Condition] {
        node.list(log, of: { node, _ in condition(node, byLinkId) }) ?? []
    }

    private func condition(_ node: YAMLNode, _ byLinkId: [String: Item]) -> Condition? {
        guard
            let fields = Fields(node, of: "a condition", keys: ["question", "operator", "answer"], log: log)
        else {
            return nil
        }
        let comparison: Condition.Comparison? = fields.required("operator") { $0.choice($1) }
        let question = fields.required("question") { $0.text($1) }
        guard let value = fields.required("answer", { node, _ in node }), let comparison, let question else {
            return nil
        }
        let answer: Answer?
        if comparison == .exists {
            answer = value.boolean(log).map { .boolean($0) }
        } else if let item = byLinkId[question] {
            answer = AnswerReading(log: log, item: item).condition(value)
        } else {
            answer = .text(value.scalar?.text ?? "")
        }
        return answer.map { Condition(question: question, comparison: comparison, answer: $0) }
    }
}
