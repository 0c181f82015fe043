/// A condition whose name is resolved.
struct PlannedCondition: Sendable {
    enum Source: Sendable {
        case item(String, ItemWeights)
        case scale(Int)
        /// A covariate that whoever scores gives.
        case given(String)
        case nothing
    }

    enum Test: Sendable {
        case range(ExactRange)
        case code(String)
    }

    let source: Source
    let test: Test

    /// Whether it holds; nil where the value is not known.
    func holds(for scored: ScoringCase) -> Bool? {
        switch test {
        case .range(let range): number(scored).map(range.contains)
        case .code(let code): self.code(scored).map { $0 == code }
        }
    }

    private func number(_ scored: ScoringCase) -> Quantity? {
        switch source {
        case .item(let linkId, let weights): return scored.sheet.answer(to: linkId).flatMap(weights.value)
        case .scale(let place): return scored.earlier[place].value
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
    /// Whether all hold; nil where none is known to fail and one is not known.
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
