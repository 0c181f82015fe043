import SaunterCore

extension ValueLabels {
    /// The codes of files about scores over time.
    static let scoresOverTime: [(set: String, codes: [(code: String, label: String)])] = [
        (
            "score_baseline",
            ChangeRule.Baseline.allCases.map { baseline in
                (
                    baseline.rawValue,
                    baseline == .first ? "The person's first known score" : "The last known score before"
                )
            }
        ),
        ("score_verdict", ScoreChange.Verdict.allCases.map { ($0.rawValue, $0.label) }),
        ("change_reason", ScoreChange.Reason.allCases.map { ($0.rawValue, $0.label) }),
        (
            "window_reason",
            [
                ("too_few_scores", "Fewer known scores than the key wants"),
                ("other_definition", "The scores come from different scoring keys"),
                ("undefined", "The numbers are too large"),
            ]
        ),
    ]
}

extension ScoreChange.Verdict {
    fileprivate var label: String {
        switch self {
        case .improved: "Reliably better"
        case .unchanged: "No reliable change"
        case .worsened: "Reliably worse"
        }
    }
}

extension ScoreChange.Reason {
    fileprivate var label: String {
        switch self {
        case .noBaseline: "There is no known score before"
        case .noScore: "There is no score"
        case .otherDefinition: "The baseline comes from another scoring key"
        case .undefined: "The numbers are too large"
        }
    }
}
