import Postgres

extension Store {
    /// The digest of a published version of a questionnaire, of any study; nil if it is not published.
    package func findQuestionnaireDigest(_ code: String, version: String) async throws -> String? {
        try await research.query(
            Statements.studies["find_questionnaire_version"],
            ["questionnaire": .text(code), "version": .text(version)]
        ).oneOrNone().map { try $0.get("digest", as: String.self) }
    }

    /// The digest of a published version of a study; nil if it is not published.
    package func findStudyDigest(_ study: String, version: String) async throws -> String? {
        try await research.query(
            Statements.studies["find_study_version"], ["study": .text(study), "version": .text(version)]
        ).oneOrNone().map { try $0.get("digest", as: String.self) }
    }
}
