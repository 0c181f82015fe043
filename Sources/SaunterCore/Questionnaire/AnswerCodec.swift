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
        for node in index.nodes where node.question != nil {
            let item = node.item
            if firstSlots[item.linkId] == nil { firstSlots[item.linkId] = slots.count }
            let kind = item.slotKind
            switch kind {
            case .chosen:
                slots += item.answerOption.indices.map { Slot(linkId: item.linkId, kind: kind, option: $0) }
            case .number:
                if numberPlaces[item.linkId] == nil { numberPlaces[item.linkId] = numberPlaces.count }
                slots.append(Slot(linkId: item.linkId, kind: kind, option: nil))
            case .choice, .boolean, .text: slots.append(Slot(linkId: item.linkId, kind: kind, option: nil))
            }
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
        for node in index.nodes where node.question != nil {
            let item = node.item
            let kind = item.slotKind
            let count = kind == .chosen ? item.answerOption.count : 1
            switch sheet.state(of: item.linkId) {
            case .missing(let reason):
                stored.slots += repeatElement(Int16(reason.rawValue), count: count)
                if kind == .number { stored.numbers.append(nil) }
            case .answered(let answer):
                let values =
                    Self.slotValues(answer, node)
                    ?? Array(repeating: Int16(MissingReason.invalid.rawValue), count: count)
                stored.slots += values
                if kind == .number { stored.numbers.append(answer.storedNumber) }
                if kind == .text, case .text(let text) = answer { stored.texts[item.linkId] = text }
            }
        }
        return stored
    }

    /// The sheet that was stored; its `cleared` is empty, because what was removed is not kept.
    package func decode(_ stored: StoredAnswers) throws(StoredAnswersFault) -> AnswerSheet {
        guard stored.slots.count == slots.count else {
            throw .slotCount(expected: slots.count, got: stored.slots.count)
        }
        guard stored.numbers.count == numberPlaces.count else {
            throw .numberCount(expected: numberPlaces.count, got: stored.numbers.count)
        }
        var states: [String: AnswerState] = [:]
        states.reserveCapacity(index.questions.count)
        var slot = 0
        var number = 0
        for node in index.nodes where node.question != nil {
            let kind = node.item.slotKind
            let count = kind == .chosen ? node.item.answerOption.count : 1
            var value: Double?
            if kind == .number {
                value = stored.numbers[number]
                number += 1
            }
            states[node.item.linkId] = try node.item.state(
                slots: stored.slots[slot..<slot + count], number: value, texts: stored.texts)
            slot += count
        }
        let questionnaire = index.questionnaire
        return AnswerSheet(
            questionnaire: questionnaire.code, version: questionnaire.version, states: states,
            questions: index.questions)
    }

    /// Nil when the answer is not one of this item.
    private static func slotValues(_ answer: Answer, _ node: QuestionnaireIndex.Node) -> [Int16]? {
        switch (node.item.slotKind, answer) {
        case (.choice, .option(let value)):
            node.optionPlaces[value].flatMap { Int16(exactly: $0) }.map { [$0] }
        case (.chosen, .options(let values)):
            values.allSatisfy { node.optionPlaces[$0] != nil }
                ? node.item.answerOption.map { values.contains($0.value) ? 1 : 0 } : nil
        case (.boolean, .boolean(let truth)): [truth ? 1 : 0]
        case (.number, _): answer.storedNumber == nil ? nil : [0]
        case (.text, .text): [0]
        default: nil
        }
    }
}
