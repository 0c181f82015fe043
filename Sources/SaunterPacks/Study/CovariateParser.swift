import SaunterCore

/// Parses `covariates` of `study.yaml`.
enum CovariateParser {
    /// Parses `{id: sex, questionnaire: about_you, item: sex, codes: {1: female, 2: male}}` or `{id: age,
    /// questionnaire: about_you, item: born, as: years_since}`.
    static func source(_ node: YAMLNode, _ log: FaultLog) -> CovariateSource? {
        let keys = ["id", "questionnaire", "item", "as", "codes"]
        guard let fields = Fields(node, of: "a covariate", keys: keys, log: log) else { return nil }
        let id = fields.required("id") { $0.text($1) }
        let questionnaire = fields.required("questionnaire") { $0.text($1) }
        let item = fields.required("item") { $0.text($1) }
        let reading: CovariateSource.Reading? = fields.optional("as") { $0.choice($1) }
        let codes = fields.optional("codes", codes) ?? [:]
        guard let id, let questionnaire, let item else { return nil }
        return CovariateSource(
            id: id, questionnaire: questionnaire, item: item, reading: reading ?? .value, codes: codes)
    }

    /// Parses `codes`: answer, as text -> code in the scoring key.
    private static func codes(_ node: YAMLNode, _ log: FaultLog) -> [String: String]? {
        node.table(log) { $0.word($1) }
    }
}
