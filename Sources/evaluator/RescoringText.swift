import SaunterCore
import SaunterStore

/// The report of a rescoring as text.
struct RescoringText {
    let rescoring: Rescoring
    let scales: [RescoredScale]

    /// One line for the job, one for each scale and one for each change of band.
    var lines: [String] {
        var lines = [
            "rescoring \(rescoring.id) of \(rescoring.study) \(rescoring.studyVersion), "
                + "\(rescoring.state.rawValue), \(rescoring.sheetsSeen) of \(rescoring.sheetsTotal) sheets, "
                + "\(rescoring.rowsAdded) scores"
        ]
        for scale in scales {
            let counts = scale.counts
            lines.append(
                "\(scale.questionnaire) \(scale.version) \(scale.scale): \(counts.sheets) sheets by key "
                    + "\(scale.keyVersion), \(counts.firstScores) scored for the first time, \(counts.unchanged) unchanged, "
                    + "\(counts.changed) changed, \(counts.becameNull) became null, "
                    + "\(counts.gainedValue) gained a value\(Self.change(counts))")
            for counted in scale.moves {
                lines.append(
                    "  band \(counted.move.from ?? "none") → \(counted.move.to ?? "none"): \(counted.sheets) sheets"
                )
            }
        }
        return lines
    }

    private static func change(_ counts: RescoredScale.Counts) -> String {
        guard let mean = counts.meanChange else { return "" }
        return
            "; mean change \(JSON.double(mean).text), greatest change \(JSON.double(counts.greatestChange).text)"
    }
}
