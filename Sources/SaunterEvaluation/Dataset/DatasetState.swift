import Postgres
import SaunterCore

/// The state of a study that determines the bytes of a dataset, together with the request: the last change, the
/// published versions, and everything that changes as time passes.
struct DatasetState {
    /// The number of the last change that the dataset includes. Reading the change feed after this number returns all
    /// later changes, and possibly some that the dataset already includes.
    let changeSequence: Int64
    /// Whether some committed change has no number yet.
    private let isWaiting: Bool
    /// Every fact that determines the bytes.
    private let facts: JSON

    /// - Parameter row: a row of the statement `dataset_state`.
    init(_ row: Row) throws {
        changeSequence = try row.get("change_seq")
        isWaiting = try row.get("is_waiting")
        facts = [
            "change_seq": .int(Int(changeSequence)), "versions": .string(try row.get("versions")),
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

/// The parameters of a dataset: study, profile, filters and formats.
package struct DatasetRequest: Sendable, Hashable {
    /// The code of the study.
    package var study: String
    /// The profile that is applied to the data.
    package var profile: DatasetProfile
    /// The part of the study.
    package var filters: DatasetFilters
    /// The formats of the tables in addition to the canonical files.
    package var formats: Set<DatasetFormat>
    /// The language of labels; nil means the first language of the study.
    package var language: String?
    /// The instant whose state the dataset shows, with what had happened and had been received by then. It is not in
    /// the future. Nil means the present.
    package var asOf: Instant?

    /// Creates a request; by default for the coded, complete study as canonical files.
    package init(
        study: String, profile: DatasetProfile = .coded, filters: DatasetFilters = DatasetFilters(),
        formats: Set<DatasetFormat> = [], language: String? = nil, asOf: Instant? = nil
    ) {
        self.study = study
        self.profile = profile
        self.filters = filters
        self.formats = formats
        self.language = language
        self.asOf = asOf
    }

    /// The SHA-256 digest of the request in lower-case hexadecimal. It does not depend on the order of codes and
    /// formats.
    package var digest: String { json.digest }

    var json: JSON {
        [
            "study": .string(study), "profile": .string(profile.rawValue),
            "profile_version": .string(profile.version), "filters": filters.json,
            "formats": .array(formats.map(\.rawValue).sorted().map(JSON.string)),
            "language": .optional(language, JSON.string),
            "as_of": .optional(asOf) { .string($0.description) },
        ]
    }
}
