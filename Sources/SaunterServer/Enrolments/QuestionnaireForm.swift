import SaunterCore
import SaunterStore

extension ServerContext {
    /// Which items and options a form shows for the answers so far.
    /// - Parameters:
    ///   - study: the code of the study.
    ///   - version: the version of the study that the participant follows.
    ///   - answers: linkId -> value; they may be incomplete or invalid.
    ///   - today: the participant's local date.
    /// - Throws: `not-found` if the study has no such questionnaire.
    package func formState(
        of questionnaire: String, in study: String, version: String, answers: JSONObject, today: LocalDate
    ) async throws -> FormState {
        guard let known = try await catalogue.find(study, version: version)?.questionnaires[questionnaire]
        else { throw Problem(.notFound) }
        return known.index.formState(answers: answers, today: today)
    }
}
