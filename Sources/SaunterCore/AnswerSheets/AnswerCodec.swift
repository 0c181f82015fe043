/// Converts sheets of one questionnaire version to their stored form and back, without loss.
package struct AnswerCodec: Sendable {
    /// The slots in storage order: questions depth first. A repeating choice and a ranking have one slot for each
    /// option.
    package let slots: [Slot]
    private let index: QuestionnaireIndex
    /// The number of elements of `StoredAnswers.numbers`.
    package let numberCount: Int
    /// The items whose answers are stored, in storage order.
    private let storedItems: [StoredItem]
    /// linkId -> index in `storedItems`.
    private let storedIndices: [String: Int]

    /// An item whose answer is stored, and which slots and numbers belong to it. A class, because copies of an item
    /// take much of the time in which an answer is restored.
    private final class StoredItem: Sendable {
        /// The position of the item in the questionnaire.
        let position: Int
        let node: QuestionnaireIndex.Node
        let linkId: String
        let slots: Range<Int>
        let numbers: Range<Int>
        let isCount: Bool
        let readsText: Bool

        /// - Parameters:
        ///   - slots: the number of slots of the items before.
        ///   - numbers: the number of numbers of the items before.
        init(_ node: QuestionnaireIndex.Node, at position: Int, slots: Int, numbers: Int) {
            let item = node.item
            self.position = position
            self.node = node
            linkId = item.linkId
            self.slots = slots..<slots + item.slots.count
            self.numbers = numbers..<numbers + item.numberCount
            isCount = item.slotKind == .count
            readsText = item.readsText
        }
    }

    /// Creates a codec for a questionnaire version.
    package init(_ questionnaire: Questionnaire) {
        self.init(QuestionnaireIndex(questionnaire))
    }

    /// Creates a codec from an existing index.
    package init(_ index: QuestionnaireIndex) {
        var slots: [Slot] = []
        var numberCount = 0
        var storedItems: [StoredItem] = []
        for (position, node) in index.nodes.enumerated() where node.isStored {
            storedItems.append(
                StoredItem(node, at: position, slots: slots.count, numbers: numberCount))
            numberCount += node.item.numberCount
            slots += node.item.slots
        }
        self.slots = slots
        self.index = index
        self.numberCount = numberCount
        self.storedItems = storedItems
        storedIndices = Dictionary(
            storedItems.enumerated().map { ($1.linkId, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The index of an item's number in `StoredAnswers.numbers`; nil for items without a number. For a location it is
    /// the index of the latitude; longitude and accuracy follow.
    package func numberIndex(of linkId: String) -> Int? { numberIndices(of: linkId)?.lowerBound }

    /// The indices of an item's numbers in `StoredAnswers.numbers`; nil for items without a number.
    package func numberIndices(of linkId: String) -> Range<Int>? {
        guard let numbers = storedIndices[linkId].map({ storedItems[$0].numbers }), !numbers.isEmpty else {
            return nil
        }
        return numbers
    }

    /// The index of an item's first slot in `slots`; nil for items without a slot.
    package func slotIndex(of linkId: String) -> Int? {
        storedIndices[linkId].map { storedItems[$0].slots.lowerBound }
    }

    /// Returns the stored form. An answer that does not fit the questionnaire, from a sheet of another version, is
    /// stored as `invalid`.
    package func encode(_ sheet: AnswerSheet) -> StoredAnswers {
        var stored = StoredAnswers(slots: [], numbers: [], texts: [:])
        stored.slots.reserveCapacity(slots.count)
        stored.numbers.reserveCapacity(numberCount)
        for item in storedItems {
            let missingNumbers = repeatElement(nil as Double?, count: item.numbers.count)
            switch sheet.state(of: item.linkId) {
            case .missing(let reason):
                stored.slots += repeatElement(Int16(reason.rawValue), count: item.slots.count)
                stored.numbers += missingNumbers
            case .answered(let answer):
                if let values = Self.slotValues(answer, item.node) {
                    stored.slots += Self.markWithheldOptions(values, item.node, by: sheet.answer(to:))
                    if !item.numbers.isEmpty { stored.numbers += answer.storedNumbers }
                    add(answer, of: item.position, on: sheet, to: &stored)
                } else {
                    stored.slots += repeatElement(
                        Int16(MissingReason.invalid.rawValue), count: item.slots.count)
                    stored.numbers += missingNumbers
                }
            }
        }
        return stored
    }

    /// Adds the parts of an answer that do not fit into slots and numbers.
    private func add(
        _ answer: Answer, of position: Int, on sheet: AnswerSheet, to stored: inout StoredAnswers
    ) {
        let item = index.nodes[position].item
        switch answer {
        case .text(let text), .freeText(let text), .optionsAndFreeText(_, let text):
            stored.texts[item.linkId] = text
        case .ranking(let ranking): stored.repeated += ranking.rows(of: item.linkId)
        case .list(let answers):
            for (number, answer) in answers.enumerated() {
                stored.repeated += item.rows(
                    of: .answered(answer), instance: number + 1, texts: &stored.texts)
                guard item.isComparedList else { continue }
                stored.repeated.append(
                    ComparedWords.rankRow(of: item.linkId, instance: number + 1, rank: number + 1))
            }
        case .comparedWords(let compared):
            for (number, (word, rank)) in zip(compared.words, compared.ranking.ranks).enumerated() {
                stored.repeated += item.rows(
                    of: .answered(.text(word)), instance: number + 1, texts: &stored.texts)
                stored.repeated.append(
                    ComparedWords.rankRow(of: item.linkId, instance: number + 1, rank: rank))
            }
            stored.repeated += compared.comparisonRows(of: item.linkId)
        case .instances(let instances):
            for (number, instance) in instances.enumerated() {
                for item in questions(of: position) {
                    let withheld = item.withheld { name in
                        guard let state = instance.states[name] else { return sheet.answer(to: name) }
                        return if case .answered(let answer) = state { answer } else { nil }
                    }
                    stored.repeated += item.rows(
                        of: instance.states[item.linkId] ?? .missing(.notInVersion), instance: number + 1,
                        withheld: withheld, texts: &stored.texts)
                }
            }
        default: break
        }
    }

    /// The questions of a repeating group.
    private func questions(of position: Int) -> [Item] {
        (position + 1..<index.nodes[position].end).map { index.nodes[$0].item }.filter(\.type.isQuestion)
    }

    /// Items whose answers are restored. Create them once for many sheets.
    package final class Items: Sendable {
        /// In the order of the restored answers.
        let linkIds: [String]
        /// Their indices in `storedItems`.
        fileprivate let indices: [Int]

        fileprivate init(_ linkIds: [String], _ indices: [Int]) {
            self.linkIds = linkIds
            self.indices = indices
        }

        /// The index of an item among the restored answers; nil if its answers are not restored.
        func position(of linkId: String) -> Int? { linkIds.firstIndex(of: linkId) }
    }

    /// The items with these linkIds, as far as their answers are stored.
    package func items(_ linkIds: Set<String>) -> Items {
        let indices = linkIds.compactMap { storedIndices[$0] }.sorted()
        return Items(indices.map { storedItems[$0].linkId }, indices)
    }

    /// Restores the answers to some items, in the order of `items`; nil for an item without an answer.
    /// - Parameter isPartial: see `decode`.
    package func answers(
        _ stored: StoredAnswers, to items: Items, isPartial: Bool = false
    ) throws(StoredAnswersFault) -> [Answer?] {
        try checkCounts(stored)
        let rows = Self.rows(stored)
        var answers: [Answer?] = []
        answers.reserveCapacity(items.indices.count)
        for itemIndex in items.indices {
            if case .answered(let answer) = try state(of: itemIndex, stored, rows, isPartial: isPartial) {
                answers.append(answer)
            } else {
                answers.append(nil)
            }
        }
        return answers
    }

    /// Restores a sheet. Its `cleared` is empty, because removed answers are not stored.
    /// - Parameter isPartial: true if the caller did not load texts and repeated answers. They are then empty in the
    ///   result.
    package func decode(
        _ stored: StoredAnswers, isPartial: Bool = false
    ) throws(StoredAnswersFault) -> AnswerSheet {
        try checkCounts(stored)
        let rows = Self.rows(stored)
        var states: [String: AnswerState] = [:]
        states.reserveCapacity(index.questions.count)
        for itemIndex in storedItems.indices {
            states[storedItems[itemIndex].linkId] =
                try state(of: itemIndex, stored, rows, isPartial: isPartial)
        }
        return AnswerSheet(
            questionnaire: index.questionnaire.code, version: index.questionnaire.version, states: states,
            questions: index.questions)
    }

    /// Throws if the stored form has other numbers of slots or numbers than this version.
    func checkCounts(_ stored: StoredAnswers) throws(StoredAnswersFault) {
        guard stored.slots.count == slots.count else {
            throw .slotCount(expected: slots.count, actual: stored.slots.count)
        }
        guard stored.numbers.count == numberCount else {
            throw .numberCount(expected: numberCount, actual: stored.numbers.count)
        }
    }

    /// The rows of `repeated` by item.
    private static func rows(_ stored: StoredAnswers) -> [String: [RepeatedAnswer]] {
        stored.repeated.isEmpty ? [:] : Dictionary(grouping: stored.repeated, by: \.linkId)
    }

    /// Restores the state of the item at an index of `storedItems`.
    private func state(
        of itemIndex: Int, _ stored: StoredAnswers, _ rows: [String: [RepeatedAnswer]], isPartial: Bool
    ) throws(StoredAnswersFault) -> AnswerState {
        let storedItem = storedItems[itemIndex]
        let slots = stored.slots[storedItem.slots]
        if storedItem.isCount, let first = slots.first, first >= 0 {
            return isPartial
                ? .answered(.list([]))
                : .answered(try repeated(storedItem.position, count: Int(first), rows, stored.texts))
        }
        var texts = stored.texts
        if isPartial, storedItem.readsText, texts[storedItem.linkId] == nil {
            texts = [storedItem.linkId: ""]
        }
        return try storedItem.node.item.state(
            slots: slots, numbers: stored.numbers[storedItem.numbers], texts: texts,
            comparisons: rows.isEmpty ? [] : rows[storedItem.linkId] ?? [])
    }

    /// Restores the values of a repeating item, or the instances of a group.
    private func repeated(
        _ position: Int, count: Int, _ rows: [String: [RepeatedAnswer]], _ texts: [String: String]
    ) throws(StoredAnswersFault) -> Answer {
        let item = index.nodes[position].item
        guard (1...Item.maximumOccurs).contains(count) else { throw .slot(linkId: item.linkId) }
        func states(of item: Item) throws(StoredAnswersFault) -> [AnswerState] {
            var own = rows[item.linkId] ?? []
            if item.isComparedList { own.removeAll { $0.type == ItemType.ranking.storedName } }
            let byInstance = Dictionary(grouping: own, by: \.instance)
            var states: [AnswerState] = []
            guard byInstance.count == count else { throw .repeated(linkId: item.linkId) }
            for number in 1...count {
                guard let rows = byInstance[number],
                    let state = item.state(rows, text: texts[RepeatedAnswer.name(item.linkId, number)])
                else { throw .repeated(linkId: item.linkId) }
                states.append(state)
            }
            return states
        }
        guard item.type == .group else {
            var answers: [Answer] = []
            for state in try states(of: item) {
                guard case .answered(let answer) = state else { throw .repeated(linkId: item.linkId) }
                answers.append(answer)
            }
            guard item.isComparedList else { return .list(answers) }
            guard let answer = ComparedWords.answer(answers, rows[item.linkId] ?? []) else {
                throw .repeated(linkId: item.linkId)
            }
            return answer
        }
        let questions = questions(of: position)
        var instances = Array(repeating: [String: AnswerState](), count: count)
        for question in questions {
            for (number, state) in try states(of: question).enumerated() {
                instances[number][question.linkId] = state
            }
        }
        return .instances(instances.map { GroupInstance(states: $0, questions: questions.map(\.linkId)) })
    }

    /// The slot values of an answer; nil if the answer does not fit the item.
    private static func slotValues(_ answer: Answer, _ node: QuestionnaireIndex.Node) -> [Int16]? {
        switch (node.item.slotKind, answer) {
        case (.choice, .option(let value)):
            node.optionIndices[value].flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.chosen, .options(let values)): chosen(values, node, hasFreeText: false)
        case (.chosen, .optionsAndFreeText(let values, _)): chosen(values, node, hasFreeText: true)
        case (.openChoice, .option(let value)):
            node.optionIndices[value].flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.openChoice, .freeText): Int16(exactly: node.item.answerOption.count).map { [$0] }
        case (.unit, .quantity(let measure)):
            node.item.unitOption.firstIndex(of: measure.unit).flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.rank, .ranking(let ranking)):
            ranking.options == node.item.answerOption.map(\.value)
                ? ranking.ranks.map { Int16(clamping: $0) } : nil
        case (.count, .list(let answers)): [Int16(clamping: answers.count)]
        case (.count, .comparedWords(let compared)):
            node.item.isComparedList ? [Int16(clamping: compared.words.count)] : nil
        case (.location, .location): [0]
        case (.count, .instances(let instances)): [Int16(clamping: instances.count)]
        case (.boolean, .boolean(let truth)): [truth ? 1 : 0]
        case (.number, _): answer.storedNumber == nil ? nil : [0]
        case (.text, .text): [0]
        default: nil
        }
    }

    /// Changes the slots of options that were not offered from 0 to `notShown`.
    private static func markWithheldOptions(
        _ slots: [Int16], _ node: QuestionnaireIndex.Node, by answer: (String) -> Answer?
    ) -> [Int16] {
        guard node.item.slotKind == .chosen, !node.optionConditionTargets.isEmpty else { return slots }
        let withheld = node.item.withheld(by: answer)
        return slots.enumerated().map { option, slot in
            slot == 0 && withheld.contains(option) ? Int16(MissingReason.notShown.rawValue) : slot
        }
    }

    private static func chosen(
        _ values: [OptionValue], _ node: QuestionnaireIndex.Node, hasFreeText: Bool
    ) -> [Int16]? {
        guard values.allSatisfy({ node.optionIndices[$0] != nil }),
            !hasFreeText || node.item.type.acceptsFreeText
        else { return nil }
        let chosen = Set(values)
        return node.item.answerOption.map { chosen.contains($0.value) ? 1 : 0 }
            + (node.item.type.acceptsFreeText ? [hasFreeText ? 1 : 0] : [])
    }
}

extension Item {
    /// Whether an answer can contain a text that is stored beside the slots.
    fileprivate var readsText: Bool { slotKind == .text || type.acceptsFreeText }
}
