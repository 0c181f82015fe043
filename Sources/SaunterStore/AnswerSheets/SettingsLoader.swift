import Postgres
import SaunterCore

/// Reads the settings of participants.
package struct SettingsLoader: Sendable {
    /// The settings of one questionnaire.
    package struct Entry: Sendable {
        /// The questionnaire in the version of the enrolment.
        package let questionnaire: PublishedQuestionnaire
        /// The newest sheet; nil if the participant has changed nothing.
        package let sheet: StoredSheet?
        /// The values in force.
        package let values: SettingValues
    }

    private let store: Store
    private let catalogue: StudyCatalogue

    /// Creates a loader.
    package init(store: Store, catalogue: StudyCatalogue) {
        self.store = store
        self.catalogue = catalogue
    }

    /// The settings that are in force, one entry for each questionnaire in the study's order.
    /// - Parameters:
    ///   - codes: the questionnaires; nil for all questionnaires with settings.
    ///   - connection: a transaction; nil for any connection.
    /// - Throws: `StoredValueFault` for a sheet of a version that does not exist.
    package func entries(
        of enrolment: Enrolment, _ study: PublishedStudy, questionnaires codes: [String]? = nil,
        in connection: (any Querying)? = nil
    ) async throws -> [Entry] {
        let codes = codes ?? study.study.settings
        guard !codes.isEmpty else { return [] }
        let ids = try await store.listNewestSheets(enrolment.id, of: codes, in: connection)
        let sheets =
            ids.isEmpty
            ? []
            : try await store.listSheets(
                enrolment.id, SheetFilter(ids: ids), limit: ids.count, in: connection)
        let newest = Dictionary(
            sheets.map { ($0.questionnaire, $0) }, uniquingKeysWith: { first, _ in first })
        var entries: [Entry] = []
        for code in codes {
            guard let known = study.questionnaires[code] else { continue }
            entries.append(
                Entry(
                    questionnaire: known, sheet: newest[code],
                    values: SettingValues(
                        newest: try await answers(of: newest[code], enrolment), of: known.questionnaire)))
        }
        return entries
    }

    /// The value in force of one item of the study's settings; nil if it is blank, or if no settings have the item.
    package func value(
        of item: String, _ enrolment: Enrolment, _ study: PublishedStudy
    ) async throws -> JSON? {
        let code = study.study.settings.first { code in
            study.questionnaires[code]?.questionnaire.questions.contains { $0.linkId == item } ?? false
        }
        guard let code else { return nil }
        return try await entries(of: enrolment, study, questionnaires: [code]).first?.values.values[item]
    }

    private func answers(of sheet: StoredSheet?, _ enrolment: Enrolment) async throws -> AnswerSheet? {
        guard let sheet else { return nil }
        // The sheet can belong to an earlier version of the questionnaire.
        let study = try await catalogue.find(enrolment.study, version: sheet.studyVersion)
        guard let form = study?.questionnaires[sheet.questionnaire] else {
            throw StoredValueFault(column: "study_version")
        }
        return try form.codec.decode(sheet.answers)
    }
}
