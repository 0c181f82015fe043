import Postgres
import SaunterCore

/// Caches the parsed definitions of studies. A published version never changes, so an entry is valid until a new
/// version is published.
actor DefinitionCache {
    private static let maximumStudies = 64
    private var known: [String: StudyDefinitions] = [:]

    /// - Parameter rows: rows of the statement `dataset_versions`.
    func definitions(of study: String, rows: Rows) throws -> StudyDefinitions {
        let digests = try rows.map { try $0.get("digest", as: String.self) }
        if let found = known[study], found.versions.map(\.digest) == digests { return found }
        let read = try StudyDefinitions.read(study, rows: rows)
        if known.count >= Self.maximumStudies { known.removeAll() }
        known[study] = read
        return read
    }
}
