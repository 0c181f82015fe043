import SaunterCore

/// Parses one element of `features` in `study.yaml`: a function of the app.
enum FeatureParser {
    static let keys = ["code", "page", "questionnaire", "settings", "collection"]

    /// Parses the code of a feature, or a mapping.
    static func feature(_ node: YAMLNode, _ log: FaultLog) -> StudyFeature? {
        if case .scalar = node.content { return node.text(log).map { StudyFeature(code: $0) } }
        guard let fields = Fields(node, of: "a feature", keys: keys, log: log) else { return nil }
        let code = fields.required("code") { $0.text($1) }
        let page: StudyFeature.Page? = fields.optional("page") { $0.choice($1) }
        let questionnaire = fields.optional("questionnaire") { $0.text($1) }
        let settings = fields.optional("settings") { $0.text($1) }
        let collection = fields.optional("collection") { $0.text($1) }
        return code.map {
            StudyFeature(
                code: $0, page: page, questionnaire: questionnaire, settings: settings,
                collection: collection)
        }
    }
}
