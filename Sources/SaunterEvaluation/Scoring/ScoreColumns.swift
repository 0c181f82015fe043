import SaunterCore

/// The columns that scores take in a table: `score_<scale>`, `reason_<scale>`, `band_<scale>` for every scale
/// in order, then `exclusion_<scale>` where it has exclusions, or takes up what does, and `se_<scale>` where it looks
/// a value up.
enum ScoreColumns {
    static func names(of questionnaire: Questionnaire) -> [String] {
        scales(of: questionnaire).flatMap { scale in
            ["score_\(scale.id)", "reason_\(scale.id)", "band_\(scale.id)"]
                + (scale.mayBeExcluded ? ["exclusion_\(scale.id)"] : [])
                + (scale.mayHaveError ? ["se_\(scale.id)"] : [])
        }
    }

    /// - Parameter scores: in the key's order.
    static func cells(_ scores: [Score], of questionnaire: Questionnaire) -> [String?] {
        zip(scores, scales(of: questionnaire)).flatMap { score, scale in
            [score.value?.shortest, score.reason?.rawValue, score.band]
                + (scale.mayBeExcluded ? [score.exclusion] : [])
                + (scale.mayHaveError ? [score.standardError?.shortest] : [])
        }
    }

    private struct Told {
        let id: String
        let mayBeExcluded: Bool
        let mayHaveError: Bool
    }

    private static func scales(of questionnaire: Questionnaire) -> [Told] {
        var excluding: Set<String> = []
        return (questionnaire.scoring?.scales ?? []).map { scale in
            let mayBeExcluded = !scale.exclude.isEmpty || scale.items.contains { excluding.contains($0) }
            if mayBeExcluded { excluding.insert(scale.id) }
            let looksUp = scale.transform.contains { if case .lookup = $0 { true } else { false } }
            return Told(id: scale.id, mayBeExcluded: mayBeExcluded, mayHaveError: looksUp)
        }
    }
}
