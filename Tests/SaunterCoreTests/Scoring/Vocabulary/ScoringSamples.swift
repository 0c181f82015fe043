@testable import SaunterCore

/// Small questionnaires with a key, and their scores.
enum ScoringSamples {
    typealias Samples = QuestionnaireSamples

    /// Items q1…qn of whole numbers.
    static func ratings(_ count: Int, _ range: ClosedRange<Int> = 0...4) -> [Item] {
        (1...count).map { Samples.rating("q\($0)", range) }
    }

    static func scale(
        _ id: String, _ items: [String], _ method: ScoringMethod, _ change: (inout Scale) -> Void = { _ in }
    ) -> Scale {
        var scale = Scale(id: id, items: items, method: method)
        change(&scale)
        return scale
    }

    /// A scale of the id `s`.
    static func scale(
        _ items: [String], _ method: ScoringMethod, _ change: (inout Scale) -> Void = { _ in }
    ) -> Scale {
        scale("s", items, method, change)
    }

    static func questionnaire(
        _ items: [Item], _ scales: [Scale], covariates: [Covariate] = [], tables: [LookupTable] = []
    ) -> Questionnaire {
        Samples.questionnaire(
            items,
            scoring: ScoringKey(version: "1.0.0", scales: scales, covariates: covariates, tables: tables))
    }

    static func scores(
        _ questionnaire: Questionnaire, _ answers: JSONObject, reasons: JSONObject = [:],
        given: [String: CovariateValue] = [:]
    ) throws -> [Score] {
        let sheet = try AnswerSheet(answers: answers, reasons: reasons, of: questionnaire)
        return QuestionnaireIndex(questionnaire).scores(for: sheet, covariates: given)
    }

    /// The last score of a key over these items.
    static func score(
        _ items: [Item], _ scales: [Scale], _ answers: JSONObject, reasons: JSONObject = [:]
    ) throws -> Score? {
        try scores(questionnaire(items, scales), answers, reasons: reasons).last
    }

    /// The faults of the key, as `pointer code` below `/scoring`.
    static func faults(_ questionnaire: Questionnaire) -> [String] {
        questionnaire.faults().map { "\($0.pointer.dropFirst("/scoring".count)) \($0.code)" }
    }

    static func faults(_ items: [Item], _ scales: Scale...) -> [String] {
        faults(questionnaire(items, scales))
    }
}
