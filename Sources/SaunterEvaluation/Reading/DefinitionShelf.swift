import Postgres
import SaunterCore

/// What studies have published, read once: versions never change, and most readings find no new one.
actor DefinitionShelf {
    private static let maximumStudies = 64
    private var known: [String: StudyDefinitions] = [:]

    /// - Parameter rows: of `dataset_versions`.
    func definitions(of study: String, rows: Rows) throws -> StudyDefinitions {
        let digests = try rows.map { try $0.get("digest", as: String.self) }
        if let found = known[study], found.versions.map(\.digest) == digests { return found }
        let read = try StudyDefinitions.read(study, rows: rows)
        if known.count >= Self.maximumStudies { known.removeAll() }
        known[study] = read
        return read
    }
}
