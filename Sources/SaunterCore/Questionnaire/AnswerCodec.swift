/// Turns sheets of one questionnaire version into their stored form and back, without loss.
package struct AnswerCodec: Sendable {
    /// The slots in the order of storage: questions depth first, a repeating choice with one slot per option.
    package let slots: [Slot]
    private let index: QuestionnaireIndex
    private let numberPlaces: [String: Int]
    private let firstSlots: [String: Int]

    package init(_ questionnaire: Questionnaire) {
        self.init(QuestionnaireIndex(questionnaire))
    }

    package init(_ index: QuestionnaireIndex) {
        var slots: [Slot] = []
        var numberPlaces: [String: Int] = [:]
        var firstSlots: [String: Int] = [:]
        for node in index.nodes where node.isStored {
            let item = node.item
            if firstSlots[item.linkId] == nil { firstSlots[item.linkId] = slots.count }
            if item.hasNumber, numberPlaces[item.linkId] == nil {
                numberPlaces[item.linkId] = numberPlaces.count
            }
            slots += item.slots
        }
        self.slots = slots
        self.index = index
        self.numberPlaces = numberPlaces
        self.firstSlots = firstSlots
    }

    /// Where an item's number stands in `numbers`, from 0; nil for items without one.
    package func numberIndex(of linkId: String) -> Int? { numberPlaces[linkId] }

    /// Where an item's first slot stands in `slots`, from 0.
    package func slotIndex(of linkId: String) -> Int? { firstSlots[linkId] }

    /// The stored form. An answer that the questionnaire does not know (of another version's sheet) is stored
    /// as `invalid`.
    package func encode(_ sheet: AnswerSheet) -> StoredAnswers {
        var stored = StoredAnswers(slots: [], numbers: [], texts: [:])
        stored.slots.reserveCapacity(slots.count)
        stored.numbers.reserveCapacity(numberPlaces.count)
        for place in index.nodes.indices where index.nodes[place].isStored {
            let node = index.nodes[place]
            let item = node.item
            let count = item.slotCount
            switch sheet.state(of: item.linkId) {
            case .missing(let reason):
                stored.slots += repeatElement(Int16(reason.rawValue), count: count)
                if item.hasNumber { stored.numbers.append(nil) }
            case .answered(let answer):
                let values = Self.slotValues(answer, node).map {
                    Self.blank($0, node, by: sheet.answer(to:))
                }
                stored.slots +=
                    values ?? Array(repeating: Int16(MissingReason.invalid.rawValue), count: count)
                if item.hasNumber { stored.numbers.append(values == nil ? nil : answer.storedNumber) }
                if values != nil { add(answer, of: place, on: sheet, to: &stored) }
            }
        }
        return stored
    }

    /// What of an answer does not stand in slots and numbers.
    private func add(
        _ answer: Answer, of place: Int, on sheet: AnswerSheet, to stored: inout StoredAnswers
    ) {
        let item = index.nodes[place].item
        switch answer {
        case .text(let text), .words(let text), .optionsAndWords(_, let text):
            stored.texts[item.linkId] = text
        case .ranking(let ranking): stored.repeated += ranking.rows(of: item.linkId)
        case .list(let answers):
            for (number, answer) in answers.enumerated() {
                stored.repeated += item.rows(
                    of: .answered(answer), instance: number + 1, texts: &stored.texts)
            }
        case .instances(let instances):
            for (number, instance) in instances.enumerated() {
                for item in questions(of: place) {
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
    private func questions(of place: Int) -> [Item] {
        (place + 1..<index.nodes[place].end).map { index.nodes[$0].item }.filter(\.type.isQuestion)
    }

    /// The sheet that was stored; its `cleared` is empty, because what was removed is not kept.
    /// - Parameter isPartial: texts and repeated answers were not read: each stands as an empty one.
    package func decode(_ stored: StoredAnswers, isPartial: Bool = false) throws(StoredAnswersFault)
        -> AnswerSheet
    {
        guard stored.slots.count == slots.count else {
            throw .slotCount(expected: slots.count, got: stored.slots.count)
        }
        guard stored.numbers.count == numberPlaces.count else {
            throw .numberCount(expected: numberPlaces.count, got: stored.numbers.count)
        }
        var states: [String: AnswerState] = [:]
        states.reserveCapacity(index.questions.count)
        let rows = stored.repeated.isEmpty ? [:] : Dictionary(grouping: stored.repeated, by: \.linkId)
        var slot = 0
        var number = 0
        for place in index.nodes.indices where index.nodes[place].isStored {
            let item = index.nodes[place].item
            let count = item.slotCount
            var value: Double?
            if item.hasNumber {
                value = stored.numbers[number]
                number += 1
            }
            let own = stored.slots[slot..<slot + count]
            slot += count
            if item.slotKind == .count, let first = own.first, first >= 0 {
                states[item.linkId] =
                    isPartial
                    ? .answered(.list([]))
                    : .answered(try repeated(place, count: Int(first), rows, stored.texts))
            } else {
                let texts = isPartial && stored.texts[item.linkId] == nil ? [item.linkId: ""] : stored.texts
                states[item.linkId] = try item.state(
                    slots: own, number: value, texts: texts, comparisons: rows[item.linkId] ?? [])
            }
        }
        let questionnaire = index.questionnaire
        return AnswerSheet(
            questionnaire: questionnaire.code, version: questionnaire.version, states: states,
            questions: index.questions)
    }

    /// The values of a repeating item, or the instances of a group.
    private func repeated(
        _ place: Int, count: Int, _ rows: [String: [RepeatedAnswer]], _ texts: [String: String]
    ) throws(StoredAnswersFault) -> Answer {
        let item = index.nodes[place].item
        guard (1...Item.maximumOccurs).contains(count) else { throw .slot(linkId: item.linkId) }
        func states(of item: Item) throws(StoredAnswersFault) -> [AnswerState] {
            let byInstance = Dictionary(grouping: rows[item.linkId] ?? [], by: \.instance)
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
            return .list(answers)
        }
        let questions = questions(of: place)
        var instances = Array(repeating: [String: AnswerState](), count: count)
        for question in questions {
            for (number, state) in try states(of: question).enumerated() {
                instances[number][question.linkId] = state
            }
        }
        return .instances(instances.map { GroupInstance(states: $0, questions: questions.map(\.linkId)) })
    }

    /// Nil when the answer is not one of this item.
    private static func slotValues(_ answer: Answer, _ node: QuestionnaireIndex.Node) -> [Int16]? {
        switch (node.item.slotKind, answer) {
        case (.choice, .option(let value)):
            node.optionPlaces[value].flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.chosen, .options(let values)): chosen(values, node, words: false)
        case (.chosen, .optionsAndWords(let values, _)): chosen(values, node, words: true)
        case (.openChoice, .option(let value)):
            node.optionPlaces[value].flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.openChoice, .words): Int16(exactly: node.item.answerOption.count).map { [$0] }
        case (.unit, .quantity(let measure)):
            node.item.unitOption.firstIndex(of: measure.unit).flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.rank, .ranking(let ranking)):
            ranking.options == node.item.answerOption.map(\.value)
                ? ranking.ranks.map { Int16(clamping: $0) } : nil
        case (.count, .list(let answers)): [Int16(clamping: answers.count)]
        case (.count, .instances(let instances)): [Int16(clamping: instances.count)]
        case (.boolean, .boolean(let truth)): [truth ? 1 : 0]
        case (.number, _): answer.storedNumber == nil ? nil : [0]
        case (.text, .text): [0]
        default: nil
        }
    }

    /// Options that were not offered are blank, not 0.
    private static func blank(
        _ slots: [Int16], _ node: QuestionnaireIndex.Node, by answer: (String) -> Answer?
    ) -> [Int16] {
        guard node.item.slotKind == .chosen, !node.optionConditionNodes.isEmpty else { return slots }
        let withheld = node.item.withheld(by: answer)
        return slots.enumerated().map { place, slot in
            slot == 0 && withheld.contains(place) ? Int16(MissingReason.notShown.rawValue) : slot
        }
    }

    private static func chosen(
        _ values: [OptionValue], _ node: QuestionnaireIndex.Node, words: Bool
    ) -> [Int16]? {
        guard values.allSatisfy({ node.optionPlaces[$0] != nil }), !words || node.item.type == .openChoice
        else { return nil }
        let chosen = Set(values)
        return node.item.answerOption.map { chosen.contains($0.value) ? 1 : 0 }
            + (node.item.type == .openChoice ? [words ? 1 : 0] : [])
    }
}

extension Item {
    /// How many slots it has.
    fileprivate var slotCount: Int {
        switch slotKind {
        case .chosen, .rank: answerOption.count + (type == .openChoice ? 1 : 0)
        default: 1
        }
    }
}
