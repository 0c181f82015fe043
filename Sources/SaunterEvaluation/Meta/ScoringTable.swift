import SaunterCore

/// `meta/scoring.csv`: the contents of all scoring keys, one row per scale and version of its instrument. Spaces
/// separate the values of `items`, `reverse` and `bands`. Other structured values are written as JSON, as in
/// `meta/instruments`.
struct ScoringTable {
    private static let header = [
        "instrument", "version", "rule_version", "rule_digest", "score", "label", "items", "reverse",
        "method", "missing_rule",
        "min_answered", "factor", "offset", "round_places", "round_mode", "min", "max", "bands", "recode",
        "weights", "where",
        "blanks", "unit", "transform", "exclude", "tables", "covariates", "change", "windows",
        "shown_to_participant", "keyed_by",
    ]

    private let definitions: StudyDefinitions

    init(_ definitions: StudyDefinitions) {
        self.definitions = definitions
    }

    var csv: [UInt8] {
        var text = CSVText(header: Self.header)
        let activeKeys = definitions.activeScoringKeys
        for questionnaire in definitions.instruments.flatMap(\.versions) {
            guard let key = questionnaire.scoring else { continue }
            let digest = key.digest
            let keyed = activeKeys[questionnaire.code, questionnaire.version]?.keyed.version
            for (scale, json) in zip(key.scales, key.json["scales"]?.array ?? []) {
                text.add(
                    row(scale, key, digest, questionnaire) + Self.remainingCells(scale, json, key) + [
                        keyed
                    ])
            }
        }
        return text.bytes
    }

    private func row(
        _ scale: Scale, _ key: ScoringKey, _ digest: String, _ questionnaire: Questionnaire
    ) -> [String?] {
        let rule = Self.rule(scale)
        return [
            questionnaire.code, questionnaire.version, key.version, digest, scale.id,
            questionnaire.text(in: definitions.language).scales[scale.id], scale.items.joined(separator: " "),
            scale.reverse.isEmpty ? nil : scale.reverse.joined(separator: " "), scale.method.rawValue,
            rule.name,
            rule.minimum, scale.factor.shortest, scale.offset.shortest,
            scale.rounding.map { String($0.places) },
            scale.rounding?.mode.rawValue, scale.minimum?.shortest, scale.maximum?.shortest,
            scale.bands.isEmpty ? nil : scale.bands.map(Self.text).joined(separator: " "),
        ]
    }

    /// The remaining columns of the scale, with the same JSON as in `meta/instruments`.
    private static func remainingCells(_ scale: Scale, _ json: JSON, _ key: ScoringKey) -> [String?] {
        let tables = Set(
            scale.transform.compactMap { step -> String? in
                switch step {
                case .lookup(let table), .norm(let table, _): table
                default: nil
                }
            })
        let used = (key.json["tables"]?.array ?? []).filter { tables.contains($0["id"]?.string ?? "") }
        return ["recode", "weights", "where", "blanks"].map { json[$0]?.text } + [
            json["unit"]?.string, json["transform"]?.text, json["exclude"]?.text,
            used.isEmpty ? nil : JSON.array(used).text, key.json["covariates"]?.text, json["change"]?.text,
            json["windows"]?.text, scale.shownToParticipant ? "1" : "0",
        ]
    }

    /// The name of the rule, and how many items it needs: a whole number, or a share such as 0.5.
    private static func rule(_ scale: Scale) -> (name: String, minimum: String) {
        switch scale.missing {
        case .complete: ("complete", String(scale.items.count))
        case .exclude: ("exclude", String(scale.items.count))
        case .prorate(let minimum): ("prorate", String(minimum))
        case .partial(.count(let minimum), let remedy): (remedy.name, String(minimum))
        case .partial(.share(let share), let remedy): (remedy.name, share.shortest)
        }
    }

    /// For example `low[0,52)`: square brackets include an end, round brackets exclude it, and an absent end is empty.
    /// Conditions follow after a bar.
    private static func text(_ band: Band) -> String {
        let conditions = band.conditions.map { "|" + text($0) }.joined()
        return band.id + text(band.range) + conditions
    }

    private static func text(_ condition: ScoreCondition) -> String {
        switch condition.test {
        case .code(let code): "\(condition.name)=\(code)"
        case .range(let range): condition.name + text(range)
        }
    }

    private static func text(_ range: ScoreRange) -> String {
        (range.above == nil ? "[" : "(") + ((range.from ?? range.above)?.shortest ?? "") + ","
            + ((range.below ?? range.upTo)?.shortest ?? "") + (range.upTo == nil ? ")" : "]")
    }
}
