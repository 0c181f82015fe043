/// The quick way from slots to scores, for versions where there is one.
struct SlotSums: Sendable {
    /// A scale as a sum of whole numbers.
    private struct SumScale: Sendable {
        /// For each term the place of its slot, and where in `counts` its options begin.
        let terms: [(slot: Int, counts: Int)]
        /// What the options of all terms count, less the least that each term can count.
        let counts: [Int]
        /// The score of each sum, from the least on.
        let scores: [Score]
    }

    private static let maximumSums = 10_000

    private let scales: [SumScale]
    /// How many options the question of each slot has.
    private let optionCounts: [Int16]

    /// Nil where a question is no single choice or truth, or where a scale is more than a sum or mean of such.
    init?(_ index: QuestionnaireIndex, slots: [AnswerCodec.Slot]) {
        guard let plan = index.scoring, !slots.isEmpty else { return nil }
        var optionCounts: [Int16] = []
        for slot in slots {
            guard let item = index.item(slot.linkId) else { return nil }
            switch slot.kind {
            case .choice: optionCounts.append(Int16(clamping: item.answerOption.count))
            case .boolean: optionCounts.append(2)
            case .chosen, .openChoice, .words, .unit, .rank, .count, .number, .text: return nil
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

    /// False, and nothing is added, for a sheet with a blank or with a slot that is none of this version.
    func add(_ slots: ArraySlice<Int16>, to scores: inout [Score]) -> Bool {
        guard slots.count == optionCounts.count else { return false }
        let first = slots.startIndex
        for place in optionCounts.indices {
            let slot = slots[first + place]
            if slot < 0 || slot >= optionCounts[place] { return false }
        }
        for scale in scales {
            var sum = 0
            for term in scale.terms { sum += scale.counts[term.counts + Int(slots[first + term.slot])] }
            scores.append(scale.scores[sum])
        }
        return true
    }

    private static func scale(
        _ planned: PlannedScale, _ index: QuestionnaireIndex, _ slots: [AnswerCodec.Slot]
    ) -> SumScale? {
        let method = planned.scale.method
        guard [.sum, .mean, .value].contains(method), !planned.isWeighted, planned.exclude.isEmpty,
            planned.bands.allSatisfy(\.conditions.isEmpty), !planned.terms.isEmpty,
            planned.steps.allSatisfy(\.isPlain)
        else { return nil }
        var terms: [(slot: Int, counts: Int)] = []
        var counts: [Int] = []
        var least = 0
        var reach = 0
        for term in planned.terms {
            guard case .item(let linkId, let weights) = term.source, !term.isUndefined,
                let item = index.item(linkId), let slot = slots.firstIndex(where: { $0.linkId == linkId }),
                let values = wholes(item, weights, mirror: term.mirror),
                let low = values.min(), let high = values.max()
            else { return nil }
            terms.append((slot, counts.count))
            counts += values.map { $0 - low }
            least += low
            reach += high - low
            guard reach < maximumSums else { return nil }
        }
        let scores = (0...reach).map { score(Quantity(least + $0), planned) }
        return SumScale(terms: terms, counts: counts, scores: scores)
    }

    /// What each answer counts, in the order of slots; nil where one is no small whole number.
    private static func wholes(_ item: Item, _ weights: ItemWeights, mirror: Quantity?) -> [Int]? {
        let answers: [Answer] =
            item.type == .boolean
            ? [.boolean(false), .boolean(true)] : item.answerOption.map { .option($0.value) }
        let values = answers.compactMap { answer -> Int? in
            guard let value = weights.value(of: answer) else { return nil }
            guard case .exact(let exact) = mirror.map({ $0 - value }) ?? value, exact.denominator == 1,
                exact.numerator.magnitude < 1_000_000
            else { return nil }
            return Int(exact.numerator)
        }
        return values.count == answers.count ? values : nil
    }

    private static func score(_ sum: Quantity, _ planned: PlannedScale) -> Score {
        let nobody = ScoringCase(
            sheet: AnswerSheet(questionnaire: "", version: "", states: [:], questions: []), covariates: [:])
        let count = planned.terms.count
        var score = Score(
            scale: planned.scale.id, value: nil, reason: nil, band: nil, itemCount: count,
            answeredCount: count, imputedCount: 0)
        var error: Quantity?
        do throws(NoScore) {
            let result = planned.scale.method == .mean ? sum.divided(by: count) : sum
            let value = try planned.finished(result, of: nobody, error: &error)
            score.value = value.double
            score.band = planned.band(value, nobody)
        } catch {
            score.reason = error.reason
        }
        return score
    }
}

extension PlannedStep {
    /// Whether it asks for nothing but the value.
    fileprivate var isPlain: Bool {
        switch self {
        case .multiply, .divide, .add, .percent, .clamp, .wrap, .round, .bins: true
        case .lookup, .norm: false
        }
    }
}
