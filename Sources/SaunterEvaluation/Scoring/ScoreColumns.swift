import SaunterCore

/// The columns of scores in a CSV table: `score_<scale>`, `reason_<scale>` and `band_<scale>` for every scale that is
/// not a helper, in the order of the key; `exclusion_<scale>` if the scale or one of its input scales has exclusions;
/// `se_<scale>` if the scale uses a look-up table.
enum ScoreColumns {
    static func names(of questionnaire: Questionnaire) -> [String] {
        scales(of: questionnaire).filter { !$0.isHelper }.flatMap { scale in
            ["score_\(scale.id)", "reason_\(scale.id)", "band_\(scale.id)"]
                + (scale.mayBeExcluded ? ["exclusion_\(scale.id)"] : [])
                + (scale.mayHaveError ? ["se_\(scale.id)"] : [])
        }
    }

    /// - Parameter scores: the scores in the order of the scoring key.
    static func cells(_ scores: [Score], of questionnaire: Questionnaire) -> [String?] {
        zip(scores, scales(of: questionnaire)).filter { !$1.isHelper }.flatMap { score, scale in
            [score.value?.shortest, score.reason?.rawValue, score.band]
                + (scale.mayBeExcluded ? [score.exclusion] : [])
                + (scale.mayHaveError ? [score.standardError?.shortest] : [])
        }
    }

    private struct ScaleColumns {
        let id: String
        let isHelper: Bool
        let mayBeExcluded: Bool
        let mayHaveError: Bool
    }

    private static func scales(of questionnaire: Questionnaire) -> [ScaleColumns] {
        var excluding: Set<String> = []
        return (questionnaire.scoring?.scales ?? []).map { scale in
            let mayBeExcluded = !scale.exclude.isEmpty || scale.items.contains { excluding.contains($0) }
            if mayBeExcluded { excluding.insert(scale.id) }
            let usesLookup = scale.transform.contains { if case .lookup = $0 { true } else { false } }
            return ScaleColumns(
                id: scale.id, isHelper: scale.isHelper, mayBeExcluded: mayBeExcluded, mayHaveError: usesLookup
            )
        }
    }
}
