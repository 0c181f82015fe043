import SaunterCore

/// `meta/scoring.csv`: the rule behind every score, one row per scale and version of its instrument.
struct ScoringTable {
    private static let header = [
        "instrument", "version", "rule_version", "rule_digest", "score", "label", "items", "reverse",
        "method", "missing_rule",
        "min_answered", "factor", "offset", "round_places", "round_mode", "min", "max", "bands",
    ]

    private let definitions: StudyDefinitions

    init(_ definitions: StudyDefinitions) {
        self.definitions = definitions
    }

    var csv: [UInt8] {
        var text = CSVText(header: Self.header)
        for questionnaire in definitions.instruments.flatMap(\.versions) {
            guard let key = questionnaire.scoring else { continue }
            let digest = key.digest
            for scale in key.scales { text.add(Self.row(scale, key, digest, questionnaire)) }
        }
        return text.bytes
    }

    private static func row(
        _ scale: Scale, _ key: ScoringKey, _ digest: String, _ questionnaire: Questionnaire
    ) -> [String?] {
        let rule: (name: String, least: Int)
        switch scale.missing {
        case .complete: rule = ("complete", scale.items.count)
        case .prorate(let minimum): rule = ("prorate", minimum)
        }
        return [
            questionnaire.code, questionnaire.version, key.version, digest, scale.id,
            questionnaire.text(in: "en").scales[scale.id], scale.items.joined(separator: " "),
            scale.reverse.isEmpty ? nil : scale.reverse.joined(separator: " "), scale.method.rawValue,
            rule.name,
            String(rule.least), scale.factor.shortest, scale.offset.shortest,
            scale.rounding.map { String($0.places) },
            scale.rounding?.mode.rawValue, scale.minimum?.shortest, scale.maximum?.shortest,
            scale.bands.isEmpty ? nil : scale.bands.map(text).joined(separator: " "),
        ]
    }

    /// `low[0,52)`: from inclusive, below exclusive, an open end left out.
    private static func text(_ band: Band) -> String {
        "\(band.id)[\(band.from?.shortest ?? ""),\(band.below?.shortest ?? ""))"
    }
}
