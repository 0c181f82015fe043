import SaunterCore

/// Parses the items of `questionnaire.yaml` in two passes. The first pass parses all items without references to other
/// items. The second pass adds default values and conditions, because the type of their values depends on the
/// referenced item.
struct ItemParser {
    /// The keys of an item.
    static let keys = [
        "linkId", "type", "required", "repeats", "readOnly", "hidden", "answerOption", "minValue", "maxValue",
        "minLength", "maxLength", "maxDecimalPlaces", "step", "unit", "itemControl", "initial", "enableWhen",
        "enableBehavior", "enableWhenExpression", "item", "regex", "minOccurs", "maxOccurs", "unitOption",
        "shuffle", "media", "decimals", "data_kind",
    ]

    let log: FaultLog
    /// Option sets by name.
    let optionSets: [String: [ResponseOption]]

    /// Parses the complete tree. A placeholder represents each item that could not be read.
    func items(_ node: YAMLNode) -> [Item] {
        let items = tree(node)
        let all = flattened(items)
        guard all.count <= Questionnaire.maximumItems else {
            log.note(node.line, "more than \(Questionnaire.maximumItems) items")
            return []
        }
        let byLinkId = Dictionary(all.map { ($0.linkId, $0) }) { first, _ in first }
        return completed(items, node, byLinkId)
    }

    private func tree(_ node: YAMLNode) -> [Item] {
        (node.list(log, atMost: Questionnaire.maximumItems) ?? []).map { item($0) ?? placeholder($0) }
    }

    /// A placeholder for an item that could not be read. It keeps the children.
    private func placeholder(_ node: YAMLNode) -> Item {
        let linkId = node["linkId"]?.scalar?.text ?? String(node.line)
        let children = node["item"].map(tree) ?? []
        var item = Item(linkId: Placeholder.name(linkId), type: children.isEmpty ? .display : .group)
        item.item = children
        return item
    }

    /// First pass: one item with its children. Nil if the type or the linkId is missing.
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
        item.minValue = fields.optional("minValue") { $0.bound(of: type, $1) }
        item.maxValue = fields.optional("maxValue") { $0.bound(of: type, $1) }
        item.regex = fields.optional("regex") { $0.text($1) }
        item.minOccurs = fields.optional("minOccurs") { $0.integer($1) }
        item.maxOccurs = fields.optional("maxOccurs") { $0.integer($1) }
        item.unitOption = fields.optional("unitOption") { $0.list($1, atMost: 100) { $0.word($1) } } ?? []
        item.shuffle = fields.optional("shuffle") { $0.boolean($1) } ?? false
        item.media = fields.optional("media") { $0.media($1) }
        item.enableWhenExpression = fields.optional("enableWhenExpression") { $0.text($1) }
        item.minLength = fields.optional("minLength") { $0.integer($1) }
        item.maxLength = fields.optional("maxLength") { $0.integer($1) }
        item.maxDecimalPlaces = fields.optional("maxDecimalPlaces") { $0.integer($1) }
        item.decimals = fields.optional("decimals") { $0.integer($1) }
        item.dataKind = fields.optional("data_kind") { $0.text($1) }
        item.step = fields.optional("step") { $0.number($1) }
        item.unit = fields.optional("unit") { $0.text($1) }
        item.itemControl = fields.optional("itemControl") { $0.choice($1) }
        item.enableBehavior = fields.optional("enableBehavior") { $0.choice($1) } ?? .all
        item.item = fields["item"].map(tree) ?? []
        return item
    }

    /// Parses a list of options, `{set: name}`, or `{by: question, sets: {value: name}}`.
    private func options(_ node: YAMLNode) -> [ResponseOption] {
        guard case .mapping = node.content else { return OptionParser(log: log).options(node) }
        guard let fields = Fields(node, of: "answerOption", keys: ["set", "by", "sets"], log: log) else {
            return []
        }
        guard fields["by"] == nil, fields["sets"] == nil else { return dependent(fields) }
        return set(named: fields.required("set") { $0.text($1) }, fields, line: fields.line(of: "set"))
    }

    /// Options that depend on the answer to an earlier choice. An option is offered if one of the values is chosen
    /// whose set contains the option.
    private func dependent(_ fields: Fields) -> [ResponseOption] {
        let question = fields.required("by") { $0.text($1) }
        guard let question, let entries = fields.required("sets", { $0.entries($1, atMost: 1000) }) else {
            return []
        }
        var options: [ResponseOption] = []
        for entry in entries {
            let value: OptionValue = Int(entry.key).map { .integer($0) } ?? .code(entry.key)
            let condition = Condition(question: question, comparison: .equal, answer: .option(value))
            for var option in set(named: entry.value.text(log), fields, line: entry.line) {
                if let index = options.firstIndex(where: { $0.value == option.value }) {
                    options[index].enableWhen.append(condition)
                } else {
                    option.enableWhen = [condition]
                    option.enableBehavior = .any
                    options.append(option)
                }
            }
        }
        return options
    }

    private func set(named name: String?, _ fields: Fields, line: Int) -> [ResponseOption] {
        guard let name else { return [] }
        guard let options = optionSets[name] else {
            let hint = suggestion(for: name, among: optionSets.keys.sorted())
            log.note(line, "there is no option set \"\(name)\"\(hint)")
            return []
        }
        return options
    }

    private func flattened(_ items: [Item]) -> [Item] {
        items.flatMap { [$0] + flattened($0.item) }
    }

    /// Second pass: adds default values and conditions to the items of a list and their children.
    private func completed(_ items: [Item], _ node: YAMLNode, _ byLinkId: [String: Item]) -> [Item] {
        guard case .sequence(let nodes) = node.content, nodes.count == items.count else { return items }
        return zip(items, nodes).map { item, node in
            var item = item
            if let children = node["item"] { item.item = completed(item.item, children, byLinkId) }
            guard !Placeholder.isName(item.linkId) else { return item }
            item.initial = node["initial"].flatMap { AnswerParser(log: log, item: item).initialValue($0) }
            item.enableWhen = node["enableWhen"].map { conditions($0, byLinkId) } ?? []
            if let options = node["answerOption"] { checkSets(of: options, byLinkId) }
            if case .sequence(let options)? = node["answerOption"]?.content,
                options.count == item.answerOption.count
            {
                for (index, option) in options.enumerated() {
                    item.answerOption[index].enableWhen =
                        option["enableWhen"].map { conditions($0, byLinkId) } ?? []
                }
            }
            return item
        }
    }

    /// Checks that the keys of `sets` are options of the question that the options depend on.
    private func checkSets(of options: YAMLNode, _ byLinkId: [String: Item]) {
        guard let name = options["by"]?.scalar?.text, let question = byLinkId[name],
            !question.answerOption.isEmpty, case .mapping(let entries)? = options["sets"]?.content
        else { return }
        let known = question.answerOption.map(\.value.text)
        for entry in entries where !known.contains(Int(entry.key).map { String($0) } ?? entry.key) {
            let hint = suggestion(for: entry.key, among: known)
            log.note(entry.line, "\(name) has no option \"\(entry.key)\"\(hint)")
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
            answer = AnswerParser(log: log, item: item).singleValue(value)
        } else {
            answer = .text(value.scalar?.text ?? "")
        }
        return answer.map { Condition(question: question, comparison: comparison, answer: $0) }
    }
}

extension YAMLNode {
    /// Parses `{type: image, source: media/walk.png}`.
    func media(_ log: FaultLog) -> Media? {
        guard let fields = Fields(self, of: "media", keys: ["type", "source"], log: log) else { return nil }
        let kind: Media.Kind? = fields.required("type") { $0.choice($1) }
        guard let source = fields.required("source", { $0.text($1) }), let kind else { return nil }
        return Media(kind: kind, source: source)
    }

    /// Parses a bound of an item: a number, or a value of the item's type converted to the stored number.
    fileprivate func bound(of type: ItemType, _ log: FaultLog) -> Double? {
        type.form == .moment ? moment(of: type, log)?.storedNumber : number(log)
    }
}
