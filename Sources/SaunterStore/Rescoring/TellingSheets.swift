import Postgres
import SaunterCore

/// Finds out what is known of people by the sheets that tell covariates.
struct TellingSheets: Sendable {
    private let inForce: ScoringInForce
    private let codecs: [ScoringInForce.Place: AnswerCodec]

    init(_ inForce: ScoringInForce) {
        self.inForce = inForce
        codecs = inForce.tellers.mapValues { AnswerCodec($0) }
    }

    /// Of each sheet's person, from all that is committed; a sheet that cannot be read tells nothing.
    func known(
        for sheets: [SheetToScore], in source: some Querying
    ) async throws -> [SheetPlace: KnownCovariates] {
        var people: [EnrolmentID: String] = [:]
        for sheet in sheets { people[EnrolmentID(sheet.place.enrolment)] = sheet.arm }
        let known = try await known(of: people, in: source)
        return Dictionary(
            sheets.compactMap { sheet in
                known[EnrolmentID(sheet.place.enrolment)].map { (sheet.place, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter people: with their arms.
    func known(
        of people: [EnrolmentID: String], in source: some Querying
    ) async throws -> [EnrolmentID: KnownCovariates] {
        let sources = inForce.sources
        var telling: [EnrolmentID: [TellingSheet]] = [:]
        if !sources.isEmpty {
            let rows = try await source.query(
                Statements.rescorings["list_telling_sheets"],
                [.ids(Array(people.keys)), .texts(sources.sorted())])
            for row in rows {
                let place = ScoringInForce.Place(
                    questionnaire: try row.get("questionnaire"), version: try row.get("version"))
                guard let codec = codecs[place], let questionnaire = inForce.tellers[place] else { continue }
                let stored = StoredAnswers(
                    slots: try row.get("slots"), numbers: try row.get("numbers", as: [Double?].self),
                    texts: [:])
                let sheet: AnswerSheet
                do throws(StoredAnswersFault) {
                    sheet = try codec.decode(stored, isPartial: true)
                } catch {
                    continue
                }
                telling[try row.id("enrolment_id"), default: []].append(
                    TellingSheet(
                        questionnaire: questionnaire, sheet: sheet,
                        completedAt: try row.instant("completed_at"),
                        id: try row.id("sheet_id")))
            }
        }
        let former = try await formerArms(of: Array(people.keys), in: source)
        return Dictionary(
            uniqueKeysWithValues: people.map { person, arm in
                (
                    person,
                    KnownCovariates(
                        inForce.origins, arm: arm, formerArms: former[person] ?? [],
                        sheets: telling[person] ?? [])
                )
            })
    }

    /// So that a sheet is scored by the arm of its own time, whenever that is done.
    private func formerArms(
        of people: [EnrolmentID], in source: some Querying
    ) async throws -> [EnrolmentID: [FormerArm]] {
        guard inForce.asksArm else { return [:] }
        var former: [EnrolmentID: [FormerArm]] = [:]
        for row in try await source.query(Statements.allocations["list_former_arms"], [.ids(people)]) {
            former[try row.id("enrolment_id"), default: []].append(
                FormerArm(arm: try row.get("arm"), until: try row.instant("until")))
        }
        return former
    }
}
