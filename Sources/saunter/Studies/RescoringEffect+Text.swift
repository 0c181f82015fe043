import SaunterServer
import SaunterStore

extension RescoringEffect {
    /// The text for the terminal: a line for each version whose sheets are scored again, and how to run the rescoring.
    func lines(study: String) -> [String] {
        var lines = affected.map { version in
            let changed = scales(of: version)
            let what = changed.isEmpty ? "" : " (\(changed.joined(separator: ", ")))"
            return
                "\(version.questionnaire) \(version.version): \(version.sheets) stored sheets will be scored again by key "
                + "\(version.keyVersion) of version \(version.keyedBy)\(what)"
        }
        if let rescoring {
            lines.append(
                "rescoring \(rescoring): a running server performs it, or run evaluator score --study \(study); earlier scores are kept"
            )
        }
        return lines
    }
}
