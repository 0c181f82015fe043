extension Questionnaire {
    /// Validates this definition. The pointers refer to its archive form, such as `/item/3/enableWhen/0/question`,
    /// `/text/de/items/q1` and `/scoring/scales/1/items/2`.
    /// - Returns: at most 1,000 faults of the definition and its scoring key; empty if the definition can be published.
    package func faults() -> [Fault] {
        var check = DefinitionCheck(self)
        check.checkHead()
        guard check.nodes.count <= Questionnaire.maximumItems else { return check.faults.list }
        check.checkItems()
        check.checkConditions()
        check.checkConstraints()
        check.checkText()
        var faults = check.faults
        if let scoring {
            var check = ScoringCheck(scoring, items: check.items)
            check.run()
            faults.add(check.faults.list)
        }
        return faults.list
    }
}

extension Questionnaire {
    /// Warnings about permitted definitions that are probably mistakes, with their pointers.
    package func hints() -> [Fault] {
        var hints: [Fault] = []
        func check(_ unit: String, _ pointer: String) {
            guard let warning = UCUMUnit.ambiguityWarning(unit) else { return }
            hints.append(Fault(pointer: pointer, code: "doubtful_unit", detail: warning))
        }
        func visit(_ items: [Item], _ pointer: String) {
            for (index, item) in items.enumerated() {
                if let unit = item.unit { check(unit, "\(pointer)/\(index)/unit") }
                for (option, unit) in item.unitOption.enumerated() {
                    check(unit, "\(pointer)/\(index)/unitOption/\(option)")
                }
                visit(item.item, "\(pointer)/\(index)/item")
            }
        }
        visit(item, "/item")
        return hints
    }
}

/// The validation of one questionnaire.
struct DefinitionCheck {
    static let maximumDepth = 16
    /// The maximum length of a column name of a dataset, in characters.
    static let maximumColumn = 32

    /// One item of the tree, in depth-first order.
    struct Node {
        let item: Item
        let pointer: String
        let parent: Int?
        /// The position of the enclosing repeating group.
        let repeatingGroup: Int?
        /// Whether the item or an enclosing group is hidden.
        let isHidden: Bool
        /// The parsed `enableWhenExpression`; nil if it is absent or has a syntax error.
        let expression: Expression?
    }

    let questionnaire: Questionnaire
    let nodes: [Node]
    /// The position of the first item with each linkId.
    let positions: [String: Int]
    var faults = FaultCollector()

    init(_ questionnaire: Questionnaire) {
        var nodes: [Node] = []
        var positions: [String: Int] = [:]
        var faults = FaultCollector()
        func add(
            _ items: [Item], _ pointer: String, parent: Int?, repeatingGroup: Int?, isHidden: Bool, depth: Int
        ) {
            guard depth <= Self.maximumDepth || items.isEmpty else {
                faults.add(pointer, "too_deep", "The items have more than \(Self.maximumDepth) levels.")
                return
            }
            for (index, item) in items.enumerated() {
                let itemPointer = "\(pointer)/\(index)"
                if positions[item.linkId] == nil {
                    positions[item.linkId] = nodes.count
                } else {
                    faults.add(
                        "\(itemPointer)/linkId", "duplicate_id",
                        "An earlier item has the linkId \(item.linkId).",
                        naming: item.linkId)
                }
                let position = nodes.count
                let isHidden = isHidden || item.hidden
                nodes.append(
                    Node(
                        item: item, pointer: itemPointer, parent: parent, repeatingGroup: repeatingGroup,
                        isHidden: isHidden,
                        expression: item.enableWhenExpression.flatMap { Expression(ifValid: $0) }))
                add(
                    item.item, "\(itemPointer)/item", parent: position,
                    repeatingGroup: repeatingGroup ?? (item.isRepeatingGroup ? position : nil),
                    isHidden: isHidden,
                    depth: depth + 1)
            }
        }
        add(questionnaire.item, "/item", parent: nil, repeatingGroup: nil, isHidden: false, depth: 1)
        self.questionnaire = questionnaire
        self.nodes = nodes
        self.positions = positions
        self.faults = faults
    }

    /// The items that a scoring key can name: those outside repeating groups.
    var items: [String: Item] {
        positions.filter { nodes[$0.value].repeatingGroup == nil }.mapValues { nodes[$0].item }
    }

    /// Checks the code, the version, the expected time, the edit limits and the number of items.
    mutating func checkHead() {
        if !DefinitionName.isValid(questionnaire.code) { faults.add("/code", "bad_id", DefinitionName.rule) }
        if !VersionNumber.isValid(questionnaire.version) {
            faults.add("/version", "bad_version", VersionNumber.rule)
        }
        if !questionnaire.minutes.isFinite || !(0...1440).contains(questionnaire.minutes) {
            faults.add("/minutes", "out_of_range", "The number of minutes must be from 0 to 1440.")
        }
        checkEdit()
        if nodes.isEmpty { faults.add("/item", "no_items", "The questionnaire has no item.") }
        if nodes.count > Questionnaire.maximumItems {
            faults.add(
                "/item", "too_many_items",
                "The maximum is \(Questionnaire.maximumItems) items, not \(nodes.count).")
        }
    }

    private mutating func checkEdit() {
        let edit = questionnaire.edit
        for (name, limit) in [
            ("correct_within_s", edit.correctWithin), ("delete_within_s", edit.deleteWithin),
        ] {
            guard case .within(let seconds) = limit, !(1...3_155_760_000).contains(seconds) else { continue }
            faults.add(
                "/edit/\(name)", "out_of_range", "The time must be from one second to a hundred years.")
        }
        let hasChange = questionnaire.scoring?.scales.contains { $0.change != nil } ?? false
        if edit.deletion == .purge, hasChange {
            faults.add(
                "/edit/deletion", "purge_with_change",
                "A change needs the earlier sheets, so a questionnaire whose scoring key has a change cannot purge them."
            )
        }
    }
}

extension DefinitionCheck {
    /// Checks that every text exists in every language, and that there are no surplus texts.
    mutating func checkText() {
        if questionnaire.languages.isEmpty {
            faults.add("/languages", "no_language", "At least one language is required.")
        }
        for (index, language) in questionnaire.languages.enumerated() {
            if !LanguageTag.isValid(language) {
                faults.add("/languages/\(index)", "bad_language", LanguageTag.rule)
            }
            if questionnaire.languages.firstIndex(of: language) != index {
                faults.add("/languages/\(index)", "duplicate_language", "This language is named twice.")
            } else if questionnaire.text[language] == nil {
                faults.add(
                    "/text/\(Fault.escape(language))", "missing_language",
                    "The texts in this language are missing.")
            }
        }
        for (language, languageTexts) in questionnaire.text.sorted(by: { $0.key < $1.key }) {
            let pointer = "/text/\(Fault.escape(language))"
            guard questionnaire.languages.contains(language) else {
                faults.add(
                    pointer, "surplus_language", "This language is not among the questionnaire's languages.")
                continue
            }
            check(languageTexts, pointer)
        }
    }

    private mutating func check(_ languageTexts: QuestionnaireText, _ pointer: String) {
        check(languageTexts.title, "\(pointer)/title")
        let texts = questionnaire.text.values
        if texts.contains(where: { $0.description != nil }) {
            check(languageTexts.description, "\(pointer)/description")
        }
        // A group needs no text, unless another language has a text for it.
        let needed = nodes.map(\.item).filter { item in
            item.type != .group || texts.contains { $0.items[item.linkId] != nil }
        }
        check(
            languageTexts.items, names: needed.map(\.linkId), known: positions.keys.contains,
            "\(pointer)/items")
        var options: [String: [String]] = [:]
        for item in nodes.map(\.item) where item.type.hasOptions {
            options[item.linkId] = item.answerOption.map(\.value.text)
        }
        check(languageTexts.options, names: options, "\(pointer)/options")
        let constraints = questionnaire.constraint.map(\.key)
        check(
            languageTexts.constraints, names: constraints, known: Set(constraints).contains,
            "\(pointer)/constraints")
        let shown = nodes.map(\.item).filter { $0.media != nil }.map(\.linkId)
        check(languageTexts.media, names: shown, known: Set(shown).contains, "\(pointer)/media")
        var pictured: [String: [String]] = [:]
        for item in nodes.map(\.item) where item.answerOption.contains(where: { $0.media != nil }) {
            pictured[item.linkId] = item.answerOption.filter { $0.media != nil }.map(\.value.text)
        }
        check(languageTexts.optionMedia, names: pictured, "\(pointer)/option_media")
        checkPlaceholders(languageTexts, "\(pointer)/placeholders")
        // A help text is optional, unless another language has one.
        let helped = nodes.map(\.item.linkId).filter { id in texts.contains { $0.help[id] != nil } }
        check(languageTexts.help, names: helped, known: positions.keys.contains, "\(pointer)/help")
        checkAnchors(languageTexts, "\(pointer)/anchors")
        let scales = questionnaire.scoring?.scales ?? []
        check(
            languageTexts.scales, names: scales.map(\.id), known: { id in scales.contains { $0.id == id } },
            "\(pointer)/scales")
        let bands = Dictionary(
            scales.filter { !$0.bands.isEmpty }.map { ($0.id, $0.bands.map(\.id)) },
            uniquingKeysWith: { first, _ in first })
        check(languageTexts.bands, names: bands, "\(pointer)/bands")
    }

    /// Checks the texts of empty input fields. They are optional, unless another language has them.
    private mutating func checkPlaceholders(_ languageTexts: QuestionnaireText, _ pointer: String) {
        var needed: [String] = []
        for item in nodes.map(\.item) {
            guard questionnaire.text.values.contains(where: { $0.placeholders[item.linkId] != nil }) else {
                continue
            }
            if item.type.hasPlaceholder {
                needed.append(item.linkId)
            } else if languageTexts.placeholders[item.linkId] != nil {
                faults.add(
                    "\(pointer)/\(Fault.escape(item.linkId))", "not_for_type",
                    "An item of type \(item.type.rawValue) has no input field with a placeholder.")
            }
        }
        check(languageTexts.placeholders, names: needed, known: positions.keys.contains, pointer)
    }

    /// Checks the end labels. They are optional, unless another language has them.
    private mutating func checkAnchors(_ languageTexts: QuestionnaireText, _ pointer: String) {
        var names: [String: [String]] = [:]
        for item in nodes.map(\.item) {
            let given = questionnaire.text.values.compactMap { $0.anchors[item.linkId] }
            guard !given.isEmpty else { continue }
            guard item.hasEnds else {
                faults.add(
                    "\(pointer)/\(Fault.escape(item.linkId))", "not_for_type",
                    "Only a slider or visual-analogue-scale with minValue and maxValue has end labels.")
                continue
            }
            names[item.linkId] = QuestionnaireText.anchorNames.filter { name in
                name != "middle" || given.contains { $0[name] != nil }
            }
        }
        let unchecked = languageTexts.anchors.filter { names[$0.key] != nil || positions[$0.key] == nil }
        check(unchecked, names: names, pointer)
    }

    /// Checks labels with two keys: item and option, or scale and band.
    private mutating func check(
        _ given: [String: [String: String]], names: [String: [String]], _ pointer: String
    ) {
        for (name, labels) in names.sorted(by: { $0.key < $1.key }) {
            let known = Set(labels)
            check(
                given[name] ?? [:], names: labels, known: known.contains, "\(pointer)/\(Fault.escape(name))")
        }
        for name in given.keys.sorted() where names[name] == nil {
            faults.add(
                "\(pointer)/\(Fault.escape(name))", "surplus_text",
                "Nothing here needs a text for \"\(name)\".")
        }
    }

    private mutating func check(
        _ given: [String: String], names: [String], known: (String) -> Bool, _ pointer: String
    ) {
        for name in names { check(given[name], "\(pointer)/\(Fault.escape(name))") }
        for name in given.keys.sorted() where !known(name) {
            faults.add(
                "\(pointer)/\(Fault.escape(name))", "surplus_text",
                "Nothing here needs a text for \"\(name)\".")
        }
    }

    private mutating func check(_ text: String?, _ pointer: String) {
        guard let text, text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            faults.add(pointer, "missing_text", "The text is missing.")
            return
        }
        if text.utf8.contains(0) {
            faults.add(pointer, "nul_character", "The character U+0000 cannot be stored.")
        }
    }
}
