/// The result of one scale on one sheet, with its exact value for later scales.
struct ScaleResult {
    let score: Score
    /// Nil if the score is null.
    let value: Quantity?

    init(_ planned: PlannedScale, of scored: ScoringCase) {
        var tally = Tally()
        for (index, term) in planned.terms.enumerated() {
            tally.add(planned.value(of: term, scored), term: index)
        }
        var standardError: Quantity?
        var score = Score(
            scale: planned.scale.id, value: nil, reason: nil, band: nil, itemCount: tally.itemCount,
            answeredCount: tally.answered, imputedCount: 0)
        var result: Quantity?
        if let exclusion = planned.exclude.first(where: { $0.conditions.hold(for: scored) == true }) {
            score.reason = .excluded
            score.exclusion = exclusion.id
        } else if let excludedBy = tally.excludedBy {
            score.reason = .excluded
            score.exclusion = excludedBy
        } else {
            do throws(NoScore) {
                result = try planned.value(&tally, of: scored, standardError: &standardError)
            } catch {
                score.reason = error.reason
            }
        }
        value = result
        if let result {
            score.value = result.double
            score.standardError = standardError?.double
            score.band = planned.band(result, scored)
            let prorated =
                planned.isProrated && planned.countsProratedAsImputed ? tally.itemCount - tally.answered : 0
            score.imputedCount = tally.imputed > 0 ? tally.imputed : prorated
        }
        self.score = score
    }
}

extension PlannedScale {
    /// Whether missing items are prorated.
    fileprivate var isProrated: Bool {
        switch scale.missing {
        case .prorate, .partial(_, .prorate): true
        case .complete, .exclude, .partial: false
        }
    }

    private var isImputed: Bool {
        if case .partial(_, .impute) = scale.missing { true } else { false }
    }

    /// Whether prorating changes the result of the method, so that missing items count as imputed.
    fileprivate var countsProratedAsImputed: Bool { [.sum, .mean, .count].contains(scale.method) }

    /// The exact score.
    /// - Throws: `NoScore` with the reason.
    fileprivate func value(_ tally: inout Tally, of scored: ScoringCase, standardError: inout Quantity?)
        throws(NoScore) -> Quantity
    {
        guard isEnough(tally) else {
            throw NoScore(reason: scale.missing == .exclude ? .excluded : tally.reason)
        }
        if case .partial(_, .impute(let imputation)) = scale.missing, !tally.impute(imputation, self) {
            throw NoScore(reason: tally.reason)
        }
        guard let result = tally.result(of: self, isProrated: isProrated) else {
            throw NoScore(reason: .undefined)
        }
        return try finished(result, of: scored, standardError: &standardError)
    }

    /// Computes the score from the result of the method.
    /// - Throws: `NoScore` with the reason.
    func finished(_ result: Quantity, of scored: ScoringCase, standardError: inout Quantity?) throws(NoScore)
        -> Quantity
    {
        var value = result * factor + offset
        for step in steps { value = try step.apply(value, of: scored, standardError: &standardError) }
        if let rounding = scale.rounding { value = value.rounded(rounding) }
        guard value.double.isFinite, contains(value) else { throw NoScore(reason: .outOfRange) }
        return value
    }

    /// Whether the missing rule permits a score. At least one answer is always necessary.
    private func isEnough(_ tally: Tally) -> Bool {
        guard tally.answered > 0 else { return false }
        if !scale.method.allowsMissingItems, !isImputed { return tally.answered == tally.itemCount }
        switch scale.missing {
        case .complete, .exclude: return tally.answered == tally.itemCount
        case .prorate(let minimum): return tally.answered >= minimum
        case .partial(.count(let minimum), _): return tally.answered >= minimum
        case .partial(.share(let share), _):
            return !(Quantity(tally.answered) < Quantity(share) * Quantity(tally.itemCount))
        }
    }

    /// The value of one term on this sheet.
    fileprivate func value(of term: Term, _ scored: ScoringCase) -> TermValue {
        if term.isUndefined { return .blank(.plain) }
        var value: Quantity
        var count: Int?
        switch term.source {
        case .nothing: return .blank(.plain)
        case .scale(let index):
            guard let known = scored.earlier[index].value else { return blank(scored.earlier[index].score) }
            value = known
        case .time(let linkId):
            switch scored.sheet.state(of: linkId) {
            case .missing(let reason): return blank(reason)
            case .answered(let answer):
                guard let seconds = answer.seconds else { return .blank(.plain) }
                return .known(seconds, count: 1)
            }
        case .item(let linkId, let weights):
            switch scored.sheet.state(of: linkId) {
            case .missing(let reason): return blank(reason)
            case .answered(let answer):
                guard let known = weights.value(of: answer) else { return .blank(.plain) }
                value = known
                if term.reversalSum == nil, counted == nil {
                    count = weights.count(of: answer, counting: known)
                }
            }
        }
        if let reversalSum = term.reversalSum { value = reversalSum - value }
        return .known(value, count: count ?? self.count(value))
    }

    /// How a null score of an earlier scale counts in this scale.
    private func blank(_ earlier: Score) -> TermValue {
        switch earlier.reason {
        case .notShown: blank(.notShown)
        case .declined: blank(.refused)
        case .excluded: .excluded(earlier.exclusion)
        case .outOfRange, .notInTable, .undefined, .noCovariate: .uncomputed(earlier.reason ?? .undefined)
        case .tooFewAnswered, nil: .blank(.plain)
        }
    }

    /// How a blank of this kind counts in this scale.
    private func blank(_ reason: MissingReason) -> TermValue {
        switch scale.blanks[reason] {
        case .counts(let value)?:
            let value = Quantity(value)
            return .known(value, count: count(value))
        case .leftOut?: return .blank(reason == .notShown ? .leftOutNotShown : .leftOut)
        case nil: return .blank(reason == .notShown ? .notShown : reason.isDeclined ? .declined : .plain)
        }
    }

    private func contains(_ value: Quantity) -> Bool {
        if let minimum, value < minimum { return false }
        if let maximum, maximum < value { return false }
        return true
    }

    /// The id of the first band that contains the score and applies to the participant.
    func band(_ value: Quantity, _ scored: ScoringCase) -> String? {
        bands.first { band in
            band.range.contains(value)
                && (band.conditions.isEmpty || band.conditions.hold(for: scored) == true)
        }?.id
    }
}

extension Answer {
    /// Seconds since midnight, or since 1970-01-01. Nil if the answer is not a time, a date or an instant.
    fileprivate var seconds: Quantity? {
        switch self {
        case .time(let time): Quantity(time.seconds)
        case .date(let date): Quantity(date.days) * Quantity(86_400)
        case .dateTime(let instant): Quantity(Int(clamping: instant.milliseconds)).divided(by: 1000)
        case .boolean, .integer, .decimal, .text, .option, .options, .freeText, .optionsAndFreeText,
            .quantity,
            .ranking, .location, .comparedWords, .list, .instances:
            nil
        }
    }
}
