/// Scores stored sheets of one questionnaire version, many after each other.
///
/// A sheet whose every question is answered by one option, under a key of plain sums and means, is scored by
/// adding whole numbers and looking the score up; what each sum comes to was worked out before by the same
/// rules as any other score. All other sheets are read and scored as they always are.
package struct StoredSheetScoring: Sendable {
    private let index: QuestionnaireIndex
    private let codec: AnswerCodec
    private let sums: SlotSums?

    /// Made once per version, for it works out the score of every possible sum.
    package init(_ index: QuestionnaireIndex) {
        self.index = index
        codec = AnswerCodec(index)
        sums = SlotSums(index, slots: codec.slots)
    }

    /// How many slots a sheet of this version has.
    package var slotCount: Int { codec.slots.count }

    /// Adds the scores of one sheet, in the key's order.
    /// - Parameter covariates: by id, those that the key does not take from an item.
    /// - Throws: what `AnswerCodec.decode` throws for a sheet that is not of this version; then nothing is
    ///   added.
    package func add(
        _ stored: StoredAnswers, covariates: [String: CovariateValue] = [:], to scores: inout [Score]
    ) throws(StoredAnswersFault) {
        if let sums, stored.numbers.isEmpty, sums.add(stored.slots[...], to: &scores) { return }
        let sheet = try codec.decode(stored, isPartial: true)
        scores += index.scores(for: sheet, covariates: covariates)
    }

    /// Adds the scores of many sheets without numbers and texts, whose slots stand one after the other.
    /// - Throws: what `AnswerCodec.decode` throws for the first sheet that is not of this version; a rest of
    ///   too few slots is such a sheet. Scores of the sheets before it have been added.
    package func add(sheets slots: [Int16], to scores: inout [Score]) throws(StoredAnswersFault) {
        var start = 0
        while start < slots.count {
            let end = min(start + max(slotCount, 1), slots.count)
            if sums?.add(slots[start..<end], to: &scores) != true {
                let stored = StoredAnswers(slots: Array(slots[start..<end]), numbers: [], texts: [:])
                scores += index.scores(for: try codec.decode(stored, isPartial: true))
            }
            start = end
        }
    }
}
