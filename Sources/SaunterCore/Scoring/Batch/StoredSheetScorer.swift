/// Scores many stored sheets of one questionnaire version.
///
/// The fast path applies if every question is a single choice or a boolean, all are answered, and the key has only
/// plain sums and means. It adds whole numbers and looks the score up in a table that was computed with the usual
/// rules. All other sheets are decoded and scored in the usual way.
package struct StoredSheetScorer: Sendable {
    private let index: QuestionnaireIndex
    private let codec: AnswerCodec
    private let sums: SumLookup?

    /// Computes the score of every possible sum, so create one scorer per version.
    package init(_ index: QuestionnaireIndex) {
        self.index = index
        codec = AnswerCodec(index)
        sums = SumLookup(index, slots: codec.slots)
    }

    /// The number of slots in a stored sheet of this version.
    package var slotCount: Int { codec.slots.count }

    /// Appends the scores of one sheet, in the order of the key.
    /// - Parameter covariates: values by covariate id, for the covariates whose source is not an item.
    /// - Throws: the error of `AnswerCodec.decode` if the sheet is not of this version. Then nothing is appended.
    package func add(
        _ stored: StoredAnswers, covariates: [String: CovariateValue] = [:], to scores: inout [Score]
    ) throws(StoredAnswersFault) {
        if let sums, stored.numbers.isEmpty, sums.add(stored.slots[...], to: &scores) { return }
        let sheet = try codec.decode(stored, isPartial: true)
        scores += index.scores(for: sheet, covariates: covariates)
    }

    /// Appends the scores of many sheets that have no numbers and no texts.
    /// - Parameter slots: the slots of all sheets, one sheet after the other.
    /// - Throws: the error of `AnswerCodec.decode` for the first sheet that is not of this version, for example an
    ///   incomplete last sheet. The scores of the earlier sheets are appended.
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
