import Postgres
import SaunterCore

extension Store {
    /// The practices that a participant did at least once, in no particular order.
    package func listPracticeProgress(
        of id: EnrolmentID, practices: [String]
    ) async throws -> [PracticeProgress] {
        guard !practices.isEmpty else { return [] }
        return try await research.query(
            Statements.answerSheets["list_practice_progress"],
            ["enrolment_id": .id(id), "questionnaires": .texts(practices)]
        ).map {
            PracticeProgress(
                practice: try $0.get("questionnaire"), times: try $0.get("times"),
                lastAt: try $0.instant("last_at"))
        }
    }

    /// For each practice, the newest sheet that answers an occasion of a schedule after one of its sheets.
    /// - Returns: code of the practice -> sheet. A practice without such a sheet is absent.
    package func listPracticeRatings(
        of id: EnrolmentID, practices: [String], schedule: String
    ) async throws -> [String: StoredSheet] {
        guard !practices.isEmpty else { return [:] }
        let rows = try await research.query(
            Statements.answerSheets["list_practice_ratings"],
            [
                "enrolment_id": .id(id), "questionnaires": .texts(practices), "schedule": .text(schedule),
            ])
        var ids: [String: SheetID] = [:]
        for row in rows { ids[try row.get("questionnaire")] = try row.id("sheet_id") }
        let listed = Array(Set(ids.values)).sorted()
        guard !listed.isEmpty else { return [:] }
        let sheets = try await listSheets(id, SheetFilter(ids: listed), limit: listed.count)
        let byID = Dictionary(sheets.map { ($0.id, $0) }) { first, _ in first }
        return ids.compactMapValues { byID[$0] }
    }
}
