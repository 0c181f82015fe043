import Postgres
import SaunterCore

/// Reads the stored sheets that supply covariates, and the values that are known for each participant.
struct CovariateSourceSheets: Sendable {
    private let activeKeys: ActiveScoringKeys
    private let codecs: [ActiveScoringKeys.Version: AnswerCodec]

    init(_ activeKeys: ActiveScoringKeys) {
        self.activeKeys = activeKeys
        codecs = activeKeys.sourceVersions.mapValues { AnswerCodec($0) }
    }

    /// The known covariates of the participant of each sheet, from committed data. A source sheet that cannot be
    /// decoded supplies nothing.
    func known(
        for sheets: [SheetToScore], in connection: some Querying
    ) async throws -> [SheetRevisionKey: KnownCovariates] {
        var enrolmentArms: [EnrolmentID: String] = [:]
        for sheet in sheets { enrolmentArms[EnrolmentID(sheet.key.enrolment)] = sheet.arm }
        let known = try await known(of: enrolmentArms, in: connection)
        return Dictionary(
            sheets.compactMap { sheet in
                known[EnrolmentID(sheet.key.enrolment)].map { (sheet.key, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The known covariates of each participant.
    /// - Parameter enrolmentArms: each participant's current arm.
    func known(
        of enrolmentArms: [EnrolmentID: String], in connection: some Querying
    ) async throws -> [EnrolmentID: KnownCovariates] {
        let sourceQuestionnaires = activeKeys.sourceQuestionnaires
        var sourceSheets: [EnrolmentID: [CovariateSourceSheet]] = [:]
        if !sourceQuestionnaires.isEmpty {
            let rows = try await connection.query(
                Statements.rescorings["list_covariate_source_sheets"],
                [
                    "enrolment_ids": .ids(Array(enrolmentArms.keys)),
                    "questionnaires": .texts(sourceQuestionnaires.sorted()),
                ])
            for row in rows {
                let version = ActiveScoringKeys.Version(
                    questionnaire: try row.get("questionnaire"), version: try row.get("version"))
                guard let codec = codecs[version], let questionnaire = activeKeys.sourceVersions[version]
                else {
                    continue
                }
                let stored = StoredAnswers(
                    slots: try row.get("slots"), numbers: try row.get("numbers", as: [Double?].self),
                    texts: [:])
                let sheet: AnswerSheet
                do throws(StoredAnswersFault) {
                    sheet = try codec.decode(stored, isPartial: true)
                } catch {
                    continue
                }
                sourceSheets[try row.id("enrolment_id"), default: []].append(
                    CovariateSourceSheet(
                        questionnaire: questionnaire, sheet: sheet,
                        completedAt: try row.instant("completed_at"),
                        id: try row.id("sheet_id")))
            }
        }
        let former = try await formerArms(of: Array(enrolmentArms.keys), in: connection)
        return Dictionary(
            uniqueKeysWithValues: enrolmentArms.map { enrolmentID, arm in
                (
                    enrolmentID,
                    KnownCovariates(
                        activeKeys.covariateSources, arm: arm, formerArms: former[enrolmentID] ?? [],
                        sheets: sourceSheets[enrolmentID] ?? [])
                )
            })
    }

    /// The earlier arms of each participant. A sheet is always scored with the arm that the participant had when the
    /// sheet was completed.
    private func formerArms(
        of enrolments: [EnrolmentID], in connection: some Querying
    ) async throws -> [EnrolmentID: [FormerArm]] {
        guard activeKeys.usesArm else { return [:] }
        var former: [EnrolmentID: [FormerArm]] = [:]
        for row in try await connection.query(
            Statements.allocations["list_former_arms"], ["enrolment_ids": .ids(enrolments)])
        {
            former[try row.id("enrolment_id"), default: []].append(
                FormerArm(arm: try row.get("arm"), until: try row.instant("until")))
        }
        return former
    }
}
