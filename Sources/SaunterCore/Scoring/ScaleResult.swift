/// The working of one scale on one sheet, with its exact value for later scales.
struct ScaleResult {
    private enum TermValue {
        case known(Quantity, count: Int)
        case blank
        case notShown
    }

    let score: Score
    /// Nil when the score is null.
    let value: Quantity?

    init(_ planned: ScoringPlan.PlannedScale, sheet: AnswerSheet, earlier: [ScaleResult]) {
        var tally = Tally()
        for term in planned.terms { tally.take(Self.value(of: term, sheet, earlier)) }
        let scale = planned.scale
        let itemCount = planned.terms.count
        let needed: Int
        switch scale.missing {
        case .complete: needed = max(itemCount, 1)
        case .prorate(let minimum): needed = max(minimum, 1)
        }
        var reason: ScoreReason?
        var result: Quantity?
        if tally.answered < needed {
            reason = tally.blank == 0 && tally.notShown > 0 ? .notShown : .tooFewAnswered
        } else {
            var value = tally.result(of: scale.method, itemCount: itemCount) * planned.factor + planned.offset
            if let rounding = scale.rounding { value = value.rounded(rounding) }
            if value.double.isFinite, Self.contains(planned, value) {
                result = value
            } else {
                reason = .outOfRange
            }
        }
        let isProrated = [ScoringMethod.sum, .mean, .count].contains(scale.method)
        value = result
        score = Score(
            scale: scale.id, value: result?.double, reason: reason,
            band: result.flatMap { Self.band(planned, $0) },
            itemCount: itemCount, answeredCount: tally.answered,
            imputedCount: result != nil && isProrated ? itemCount - tally.answered : 0)
    }

    private static func value(
        of term: ScoringPlan.Term, _ sheet: AnswerSheet, _ earlier: [ScaleResult]
    ) -> TermValue {
        if term.isUndefined { return .blank }
        var value: Quantity
        var count: Int?
        switch term.source {
        case .nothing: return .blank
        case .scale(let place):
            guard let known = earlier[place].value else {
                return earlier[place].score.reason == .notShown ? .notShown : .blank
            }
            value = known
        case .item(let linkId, let weights):
            switch sheet.state(of: linkId) {
            case .missing(.notShown): return .notShown
            case .missing: return .blank
            case .answered(let answer):
                guard let known = weights.value(of: answer) else { return .blank }
                value = known
                if term.mirror == nil { count = weights.count(of: answer, counting: known) }
            }
        }
        if let mirror = term.mirror { value = mirror - value }
        return .known(value, count: count ?? (value == .zero ? 0 : 1))
    }

    private static func contains(_ planned: ScoringPlan.PlannedScale, _ value: Quantity) -> Bool {
        if let minimum = planned.minimum, value < minimum { return false }
        if let maximum = planned.maximum, maximum < value { return false }
        return true
    }

    private static func band(_ planned: ScoringPlan.PlannedScale, _ value: Quantity) -> String? {
        planned.bands.first { band in
            !(band.from.map { value < $0 } ?? false) && (band.below.map { value < $0 } ?? true)
        }?.id
    }

    /// The answered terms of a scale, gathered.
    private struct Tally {
        private(set) var answered = 0
        private(set) var blank = 0
        private(set) var notShown = 0
        private var sum = Quantity.zero
        private var count = 0
        private var least: Quantity?
        private var greatest: Quantity?

        mutating func take(_ value: TermValue) {
            switch value {
            case .blank: blank += 1
            case .notShown: notShown += 1
            case .known(let value, let count):
                answered += 1
                sum = sum + value
                self.count += count
                if least.map({ value < $0 }) ?? true { least = value }
                if greatest.map({ $0 < value }) ?? true { greatest = value }
            }
        }

        /// Sums and counts are brought up to all items; the rest are of the answered ones.
        func result(of method: ScoringMethod, itemCount: Int) -> Quantity {
            switch method {
            case .sum, .value: prorated(sum, itemCount)
            case .count: prorated(Quantity(count), itemCount)
            case .mean: sum.divided(by: answered)
            case .minimum: least ?? .zero
            case .maximum: greatest ?? .zero
            }
        }

        private func prorated(_ total: Quantity, _ itemCount: Int) -> Quantity {
            answered == itemCount ? total : (total * Quantity(itemCount)).divided(by: answered)
        }
    }
}
