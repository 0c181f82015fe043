/// The fast path of `StoredSheetScorer`: adds whole numbers and looks the score up.
struct SumLookup: Sendable {
    /// A scale that is a sum of whole numbers.
    private struct SumScale: Sendable {
        /// For each term the index of its slot, and the index in `optionValues` where its options begin.
        let terms: [(slot: Int, firstValue: Int)]
        /// The value of each option of all terms, minus the least value of the term.
        let optionValues: [Int]
        /// The score of each sum, beginning with the least sum.
        let scores: [Score]
    }

    private static let maximumSums = 10_000

    private let scales: [SumScale]
    /// The number of options of the question in each slot.
    private let optionCounts: [Int16]

    /// Returns nil if a question is not a single choice or a boolean, or if a scale is not a plain sum or mean.
    init?(_ index: QuestionnaireIndex, slots: [AnswerCodec.Slot]) {
        guard let plan = index.scoring, !slots.isEmpty else { return nil }
        var optionCounts: [Int16] = []
        for slot in slots {
            guard let item = index.item(slot.linkId) else { return nil }
            switch slot.kind {
            case .choice: optionCounts.append(Int16(clamping: item.answerOption.count))
            case .boolean: optionCounts.append(2)
            case .chosen, .openChoice, .freeText, .unit, .rank, .count, .number, .location, .text: return nil
            }
        }
        var scales: [SumScale] = []
        for planned in plan.scales {
            guard let scale = Self.scale(planned, index, slots) else { return nil }
            scales.append(scale)
        }
        self.scales = scales
        self.optionCounts = optionCounts
    }

    /// Appends the scores. Returns false, without an effect, if the sheet has a blank or a slot value that this
    /// version does not have.
    func add(_ slots: ArraySlice<Int16>, to scores: inout [Score]) -> Bool {
        guard slots.count == optionCounts.count else { return false }
        let first = slots.startIndex
        for index in optionCounts.indices {
            let slot = slots[first + index]
            if slot < 0 || slot >= optionCounts[index] { return false }
        }
        for scale in scales {
            var sum = 0
            for term in scale.terms {
                sum += scale.optionValues[term.firstValue + Int(slots[first + term.slot])]
            }
            scores.append(scale.scores[sum])
        }
        return true
    }

    /// The scale as a sum; nil if it is not a plain sum or mean, or if it has more than `maximumSums` different sums.
    private static func scale(
        _ planned: PlannedScale, _ index: QuestionnaireIndex, _ slots: [AnswerCodec.Slot]
    ) -> SumScale? {
        let method = planned.scale.method
        guard [.sum, .mean, .value].contains(method), !planned.isWeighted, planned.exclude.isEmpty,
            planned.bands.allSatisfy(\.conditions.isEmpty), !planned.terms.isEmpty,
            planned.steps.allSatisfy(\.usesValueOnly)
        else { return nil }
        var terms: [(slot: Int, firstValue: Int)] = []
        var optionValues: [Int] = []
        var least = 0
        var span = 0
        for term in planned.terms {
            guard case .item(let linkId, let weights) = term.source, !term.isUndefined,
                let item = index.item(linkId), let slot = slots.firstIndex(where: { $0.linkId == linkId }),
                let values = wholeValues(item, weights, reversalSum: term.reversalSum),
                let low = values.min(), let high = values.max()
            else { return nil }
            terms.append((slot, optionValues.count))
            optionValues += values.map { $0 - low }
            least += low
            span += high - low
            guard span < maximumSums else { return nil }
        }
        let scores = (0...span).map { score(Quantity(least + $0), planned) }
        return SumScale(terms: terms, optionValues: optionValues, scores: scores)
    }

    /// The value of each answer in the order of slot values; nil if one is not a whole number within ±1 million.
    private static func wholeValues(_ item: Item, _ weights: ItemWeights, reversalSum: Quantity?) -> [Int]? {
        let answers: [Answer] =
            item.type.form == .truth
            ? [.boolean(false), .boolean(true)] : item.answerOption.map { .option($0.value) }
        let values = answers.compactMap { answer -> Int? in
            guard let value = weights.value(of: answer) else { return nil }
            guard case .exact(let exact) = reversalSum.map({ $0 - value }) ?? value, exact.denominator == 1,
                exact.numerator.magnitude < 1_000_000
            else { return nil }
            return Int(exact.numerator)
        }
        return values.count == answers.count ? values : nil
    }

    /// The score of one sum, computed with the usual rules.
    private static func score(_ sum: Quantity, _ planned: PlannedScale) -> Score {
        let emptyCase = ScoringCase(
            sheet: AnswerSheet(questionnaire: "", version: "", states: [:], questions: []), covariates: [:])
        let count = planned.terms.count
        var score = Score(
            scale: planned.scale.id, value: nil, reason: nil, band: nil, itemCount: count,
            answeredCount: count, imputedCount: 0)
        var standardError: Quantity?
        do throws(NoScore) {
            let result = planned.scale.method == .mean ? sum.divided(by: count) : sum
            let value = try planned.finished(result, of: emptyCase, standardError: &standardError)
            score.value = value.double
            score.band = planned.band(value, emptyCase)
        } catch {
            score.reason = error.reason
        }
        return score
    }
}

extension PlannedStep {
    /// Whether the result depends only on the value, not on the participant.
    fileprivate var usesValueOnly: Bool {
        switch self {
        case .multiply, .divide, .add, .percent, .clamp, .wrap, .round, .bins: true
        case .lookup, .norm: false
        }
    }
}
