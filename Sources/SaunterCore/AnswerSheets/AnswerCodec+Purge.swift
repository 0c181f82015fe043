extension AnswerCodec {
    /// The stored form without the answers to some items, for a participant who deletes all data of a kind.
    /// - Parameters:
    ///   - items: the linkIds, also of items in repeating groups.
    ///   - reason: the reason that replaces the answers.
    /// - Returns: the new form, and the items that had an answer; nil if none of them had one.
    /// - Throws: if the stored form belongs to another version.
    package func purging(
        _ items: Set<String>, from stored: StoredAnswers, as reason: MissingReason
    ) throws(StoredAnswersFault) -> (answers: StoredAnswers, items: [String])? {
        try checkCounts(stored)
        var answers = stored
        var answered: Set<String> = []
        for (position, slot) in slots.enumerated() where items.contains(slot.linkId) {
            if stored.slots[position] >= 0 { answered.insert(slot.linkId) }
        }
        for (position, slot) in slots.enumerated() where answered.contains(slot.linkId) {
            answers.slots[position] = Int16(reason.rawValue)
        }
        for item in answered {
            for position in numberIndices(of: item) ?? 0..<0 { answers.numbers[position] = nil }
        }
        // The values of a repeating item have no separate slot. An item in a repeating group keeps its rows, which
        // state the reason.
        answers.repeated.removeAll { answered.contains($0.linkId) }
        for position in answers.repeated.indices where items.contains(answers.repeated[position].linkId) {
            guard answers.repeated[position].missing == nil else { continue }
            answered.insert(answers.repeated[position].linkId)
            answers.repeated[position].value = nil
        }
        for position in answers.repeated.indices where answered.contains(answers.repeated[position].linkId) {
            answers.repeated[position].missing = reason
        }
        guard !answered.isEmpty else { return nil }
        answers.texts = stored.texts.filter { name, _ in
            !answered.contains(String(name.prefix { $0 != "." }))
        }
        return (answers, answered.sorted())
    }
}
