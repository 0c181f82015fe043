import SaunterCore

/// The columns that scores take in a table: `score_<scale>`, `reason_<scale>`, `band_<scale>` for every scale
/// in order.
enum ScoreColumns {
    static func names(of questionnaire: Questionnaire) -> [String] {
        (questionnaire.scoring?.scales ?? []).flatMap {
            ["score_\($0.id)", "reason_\($0.id)", "band_\($0.id)"]
        }
    }

    static func cells(_ scores: [Score]) -> [String?] {
        scores.flatMap { [$0.value?.shortest, $0.reason?.rawValue, $0.band] }
    }
}
