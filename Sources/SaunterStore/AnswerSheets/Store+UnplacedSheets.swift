import Postgres
import SaunterCore

extension Store {
    /// Gives sheets that arrived before their walks the occasions that follow those walks, in the order in which the
    /// sheets were received. The caller has locked the participants, and replans afterwards.
    /// - Returns: the enrolments whose sheets got an occasion.
    static func placeSheets(
        of walks: [EnrolmentID: [WalkID]], in transaction: Transaction
    ) async throws -> Set<EnrolmentID> {
        let waiting = try await unplacedSheets(of: walks, in: transaction)
        guard !waiting.isEmpty else { return [] }
        let following = try await occasions(following: walks, of: waiting.keys.sorted(), in: transaction)
        let placements = waiting.keys.sorted().flatMap { id in
            (following[id] ?? []).placements(of: waiting[id] ?? []).map { (enrolment: id, placement: $0) }
        }
        guard !placements.isEmpty else { return [] }
        _ = try await transaction.query(
            Statements.answerSheets["place_answer_sheets"],
            [
                "enrolment_ids": .ids(placements.map(\.enrolment)),
                "sheet_ids": .ids(placements.map(\.placement.sheet)),
                "occasion_ids": .ids(placements.map(\.placement.occasion)),
                "standings": .texts(placements.map(\.placement.timeliness.rawValue)),
                "lates_s": .int8s(placements.map(\.placement.lateS)),
                "duplicates_of": .uuids(placements.map { $0.placement.duplicateOf?.uuid }),
                "completed_ats": .instants(placements.map(\.placement.completedAt)),
            ])
        return Set(placements.map(\.enrolment))
    }

    /// Sheets that name one of these walks and have no occasion, the first received first.
    private static func unplacedSheets(
        of walks: [EnrolmentID: [WalkID]], in transaction: Transaction
    ) async throws -> [EnrolmentID: [UnplacedSheet]] {
        let wanted = walks.flatMap { id, walks in walks.map { (enrolment: id, walk: $0) } }
        guard !wanted.isEmpty else { return [:] }
        let rows = try await transaction.query(
            Statements.answerSheets["list_unplaced_sheets"],
            ["enrolment_ids": .ids(wanted.map(\.enrolment)), "walk_ids": .ids(wanted.map(\.walk))])
        var found: [EnrolmentID: [UnplacedSheet]] = [:]
        for row in rows {
            let id: EnrolmentID = try row.id("enrolment_id")
            let sheet = UnplacedSheet(
                id: try row.id("sheet_id"), questionnaire: try row.get("questionnaire"),
                walk: try row.id("walk_id"), completedAt: try row.instant("completed_at"))
            found[id, default: []].append(sheet)
        }
        return found
    }

    /// Occasions that follow one of these walks, by opening time.
    private static func occasions(
        following walks: [EnrolmentID: [WalkID]], of ids: [EnrolmentID], in transaction: Transaction
    ) async throws -> [EnrolmentID: [Occasion]] {
        let instances = walks.mapValues { Set($0.map(\.description)) }
        let rows = try await transaction.query(
            Statements.occasions["list_occasions"], ["enrolment_ids": .ids(ids)])
        var found: [EnrolmentID: [Occasion]] = [:]
        for row in rows {
            let id: EnrolmentID = try row.id("enrolment_id")
            let occasion = try Self.occasion(row)
            let followsWalk = instances[id]?.contains(occasion.key.anchorInstance) ?? false
            if followsWalk { found[id, default: []].append(occasion) }
        }
        return found
    }
}
