import Postgres
import SaunterCore

extension Store {
    /// Looks whether sheets of a walk that were stored without an occasion have one now. Whoever stores a walk looks for its sheets, and whoever stores
    /// such a sheet looks here after its own commit, each under the participant's lock: so one of the two finds it.
    /// - Throws: `ErasedMeanwhile`.
    package func placeSheets(
        of walk: WalkID, _ id: EnrolmentID, study: Study, now: Instant
    ) async throws {
        try await research.writeRetrying(repeatable: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let placed = try await Self.placeSheets(of: [id: [walk]], in: transaction)
            if !placed.isEmpty { _ = try await replan(enrolment, study: study, now: now, in: transaction) }
        }
    }

    /// Gives sheets that came before their walks the occasions that follow those, in the order in which the sheets came. The participants are locked, and what
    /// follows is planned.
    /// - Returns: whose sheets have got one.
    static func placeSheets(
        of walks: [EnrolmentID: [WalkID]], in transaction: Transaction
    ) async throws -> Set<EnrolmentID> {
        let early = try await unplacedSheets(of: walks, in: transaction)
        guard !early.isEmpty else { return [] }
        // Occasions first, then sheets: as whoever hands in or corrects sheets locks them. A sheet that is being corrected is looked at again afterwards.
        let following = try await occasions(following: walks, of: early.keys.sorted(), in: transaction)
        guard !following.isEmpty else { return [] }
        let places = following.flatMap { id, occasions in occasions.map { (enrolment: id, occasion: $0.id) } }
        let sheets = early.flatMap { id, sheets in sheets.map { (enrolment: id, sheet: $0.id) } }
        _ = try await transaction.pipeline([
            (
                Statements.answerSheets["lock_occasions"],
                [.ids(places.map(\.enrolment)), .ids(places.map(\.occasion))]
            ),
            (
                Statements.answerSheets["lock_answer_sheets"],
                [.ids(sheets.map(\.enrolment)), .ids(sheets.map(\.sheet))]
            ),
        ])
        let waiting = try await unplacedSheets(of: walks, in: transaction)
        let present = try await occasions(following: walks, of: waiting.keys.sorted(), in: transaction)
        let placements = waiting.keys.sorted().flatMap { id in
            (present[id] ?? []).placements(of: waiting[id] ?? []).map { (enrolment: id, placement: $0) }
        }
        guard !placements.isEmpty else { return [] }
        _ = try await transaction.query(
            Statements.answerSheets["place_answer_sheets"],
            [
                .ids(placements.map(\.enrolment)), .ids(placements.map(\.placement.sheet)),
                .ids(placements.map(\.placement.occasion)),
                .texts(placements.map(\.placement.standing.rawValue)),
                .int8s(placements.map(\.placement.lateS)),
                .uuids(placements.map { $0.placement.duplicateOf?.uuid }),
                .instants(placements.map(\.placement.completedAt)),
            ])
        return Set(placements.map(\.enrolment))
    }

    /// Those that name one of these walks and have no occasion, the first received first.
    private static func unplacedSheets(
        of walks: [EnrolmentID: [WalkID]], in transaction: Transaction
    ) async throws -> [EnrolmentID: [UnplacedSheet]] {
        let wanted = walks.flatMap { id, walks in walks.map { (enrolment: id, walk: $0) } }
        guard !wanted.isEmpty else { return [:] }
        let rows = try await transaction.query(
            Statements.answerSheets["list_unplaced_sheets"],
            [.ids(wanted.map(\.enrolment)), .ids(wanted.map(\.walk))])
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

    /// Those that follow one of these walks, by opening.
    private static func occasions(
        following walks: [EnrolmentID: [WalkID]], of ids: [EnrolmentID], in transaction: Transaction
    ) async throws -> [EnrolmentID: [Occasion]] {
        let instances = walks.mapValues { Set($0.map(\.description)) }
        let rows = try await transaction.query(Statements.occasions["list_occasions"], [.ids(ids)])
        var found: [EnrolmentID: [Occasion]] = [:]
        for row in rows {
            let id: EnrolmentID = try row.id("enrolment_id")
            let occasion = try Self.occasion(row)
            let isMeant = instances[id]?.contains(occasion.key.anchorInstance) ?? false
            if isMeant { found[id, default: []].append(occasion) }
        }
        return found
    }
}
