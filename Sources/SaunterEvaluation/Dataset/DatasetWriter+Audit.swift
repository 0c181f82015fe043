import Postgres
import SaunterCore

extension DatasetWriter {
    /// Notes in the audit that somebody at the command line made a dataset: which snapshot, by which profile,
    /// how many rows.
    package func record(_ manifest: DatasetManifest, profile: DatasetProfile) async throws {
        let detail: JSON = [
            "snapshot": .string(manifest.snapshot), "profile": .string(profile.rawValue),
            "enrolments": .int(manifest.people.enrolments), "rows": manifest.rows,
        ]
        _ = try await pool.query(
            SQLFile.frame["record_export"], [.text(manifest.study), .jsonb(detail.text)])
    }
}
