import Postgres
import SaunterCore

/// What a dataset follows from beside what was asked for: the study's last change, its published versions, and what turns as time goes by.
struct DatasetState {
    /// Reading the study's changes after this number gives what came after the dataset, and perhaps some of it again.
    let changeSequence: Int64
    /// Whether something was committed that has no number yet.
    private let isWaiting: Bool
    private let words: JSON

    /// - Parameter row: of `dataset_state`.
    init(_ row: Row) throws {
        changeSequence = try row.get("change_seq")
        isWaiting = try row.get("is_waiting")
        words = [
            "change_seq": .int(Int(changeSequence)), "versions": .string(try row.get("versions")),
            "turns": .int(try row.get("turns")), "zones": .int(try row.get("zones")),
            "reminders": .string(try row.get("reminders")), "attempts": .int(try row.get("attempts")),
        ]
    }

    /// The state of a study, as a transaction sees it.
    static func read(_ study: String, now: Instant, in transaction: Transaction) async throws -> DatasetState
    {
        try await DatasetState(
            transaction.query(
                SQLFile.frame["dataset_state"], [.text(study), .timestamp(milliseconds: now.milliseconds)]
            ).one())
    }

    /// What a dataset of this state is known by: two of one tag have the same bytes. Nil where the state has no name, because
    /// of what was not numbered.
    func tag(of request: DatasetRequest, software: String) -> String? {
        guard !isWaiting else { return nil }
        let whole: JSON = [
            "state": words, "request": request.json,
            "software": [.string(software), .string(Scoring.engineVersion)],
        ]
        return whole.digest
    }
}

/// What somebody asks a dataset for.
package struct DatasetRequest: Sendable, Hashable {
    package var study: String
    package var profile: DatasetProfile
    package var filters: DatasetFilters
    /// In which the tables are made beside the canonical files.
    package var formats: Set<DatasetFormat>

    package init(
        study: String, profile: DatasetProfile = .coded, filters: DatasetFilters = DatasetFilters(),
        formats: Set<DatasetFormat> = []
    ) {
        self.study = study
        self.profile = profile
        self.filters = filters
        self.formats = formats
    }

    /// The same for two requests that ask for the same, in whatever order and however often they name it. Lower-case
    /// hexadecimal.
    package var digest: String { json.digest }

    var json: JSON {
        [
            "study": .string(study), "profile": .string(profile.rawValue),
            "profile_version": .string(profile.version), "filters": filters.json,
            "formats": .array(formats.map(\.rawValue).sorted().map(JSON.string)),
        ]
    }
}
