import Postgres
import SaunterCore

extension DatasetWriter {
    /// Notes in the audit that somebody at the command line made a dataset: which snapshot, by which profile,
    /// how many rows.
    package func record(_ manifest: DatasetManifest, profile: DatasetProfile) async throws {
        let rows = manifest.files.filter { $0.path.hasPrefix("data/") }
            .map { JSONObject.Member(name: $0.path, value: .optional($0.rows, JSON.int)) }
        let detail: JSON = [
            "snapshot": .string(manifest.snapshot), "profile": .string(profile.rawValue),
            "enrolments": .int(manifest.people.enrolments), "rows": .object(JSONObject(rows)),
        ]
        _ = try await pool.query(
            SQLFile.frame["record_export"], [.text(manifest.study), .jsonb(detail.text)])
    }
}
