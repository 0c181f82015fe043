import Postgres
import SaunterCore

/// The state of a study that determines the bytes of a dataset, together with the request: the last change, the
/// published versions, and everything that changes as time passes.
struct DatasetState {
    /// The number of the last change that the dataset includes. Reading the change feed after this number returns all
    /// later changes, and possibly some that the dataset already includes.
    let changeSequence: Int64
    /// The published versions with their digests.
    let versions: String
    /// Whether some committed change has no number yet.
    let isWaiting: Bool
    /// Every fact that determines the bytes.
    private let facts: JSON

    /// - Parameter row: a row of the statement `dataset_state`.
    init(_ row: Row) throws {
        changeSequence = try row.get("change_seq")
        versions = try row.get("versions")
        isWaiting = try row.get("is_waiting")
        facts = [
            "change_seq": .int(Int(changeSequence)), "versions": .string(versions),
            "turns": .int(try row.get("turns")), "zones": .int(try row.get("zones")),
            "reminders": .string(try row.get("reminders")), "attempts": .int(try row.get("attempts")),
            "receipts": .string(try row.get("receipts")), "histories": .string(try row.get("histories")),
            "is_past": .bool(try row.get("is_past")),
        ]
    }

    /// Reads the state that the transaction sees. If the filters have dates, only reminders and occasions of these
    /// dates count.
    static func read(
        _ study: String, _ filters: DatasetFilters, now: Instant, in transaction: Transaction
    ) async throws -> DatasetState {
        try await DatasetState(
            transaction.query(
                SQLFile.frame["dataset_state"],
                [
                    "study": .text(study), "now": .timestamp(milliseconds: now.milliseconds),
                    "from_date": .text(filters.firstDate),
                    "to_date": .text(filters.lastDate),
                ]
            ).one())
    }

    /// Identifies the bytes of a dataset: two datasets with the same tag have the same bytes. Nil if some committed
    /// change has no number yet.
    func tag(of request: DatasetRequest, software: String) -> String? {
        guard !isWaiting else { return nil }
        let identity: JSON = [
            "state": facts, "request": request.json,
            "software": [.string(software), .string(Scoring.engineVersion)],
        ]
        return identity.digest
    }
}
