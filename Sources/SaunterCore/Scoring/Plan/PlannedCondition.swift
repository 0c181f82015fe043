/// A condition whose name is resolved to an item, a scale or a covariate.
struct PlannedCondition: Sendable {
    /// Where the tested value comes from.
    enum Source: Sendable {
        case item(String, ItemWeights)
        /// The index of an earlier scale in `ScoringCase.earlier`.
        case scale(Int)
        /// The id of a covariate that the caller passes.
        case given(String)
        /// The name is unknown, so the condition is never true.
        case nothing
    }

    /// What the value is compared with.
    enum Test: Sendable {
        case range(ExactRange)
        case code(String)
    }

    let source: Source
    let test: Test

    /// Whether the condition is true; nil if the value is not known.
    func holds(for scored: ScoringCase) -> Bool? {
        switch test {
        case .range(let range): number(scored).map(range.contains)
        case .code(let code): self.code(scored).map { $0 == code }
        }
    }

    private func number(_ scored: ScoringCase) -> Quantity? {
        switch source {
        case .item(let linkId, let weights): return scored.sheet.answer(to: linkId).flatMap(weights.value)
        case .scale(let index): return scored.earlier[index].value
        case .given(let name):
            guard case .number(let value)? = scored.covariates[name], value.isFinite else { return nil }
            return Quantity(value)
        case .nothing: return nil
        }
    }

    private func code(_ scored: ScoringCase) -> String? {
        switch source {
        case .item(let linkId, _):
            switch scored.sheet.answer(to: linkId) {
            case .option(let value)?: return value.text
            case .boolean(let truth)?: return truth ? "true" : "false"
            default: return nil
            }
        case .given(let name):
            guard case .code(let code)? = scored.covariates[name] else { return nil }
            return code
        case .scale, .nothing: return nil
        }
    }
}

extension [PlannedCondition] {
    /// Whether all conditions are true. Nil if no condition is false and at least one value is not known.
    func hold(for scored: ScoringCase) -> Bool? {
        var isKnown = true
        for condition in self {
            switch condition.holds(for: scored) {
            case true?: break
            case false?: return false
            case nil: isKnown = false
            }
        }
        return isKnown ? true : nil
    }
}
