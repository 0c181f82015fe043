import Crypto
import Foundation
import Logging
import Postgres

/// Why a database cannot be used by this binary.
package enum MigrationFault: Error, CustomStringConvertible {
    case altered(name: String)
    case newer(names: [String])

    package var description: String {
        switch self {
        case .altered(let name):
            "the migration \(name) was applied with another text; the database and this binary do not belong together"
        case .newer(let names):
            "the database is newer than this binary: it has \(names.joined(separator: ", "))"
        }
    }
}

/// One file of sql/migrations. A shipped one is never edited: its digest is stored with the database.
package struct Migration: Sendable {
    package var name: String
    package var script: [UInt8]

    /// SHA-256 of the text, in hexadecimal digits.
    package var digest: String {
        SHA256.hash(data: script).map { String(format: "%02x", $0) }.joined()
    }
}

/// The forward-only migrations of sql/migrations, each applied once and in one transaction.
package enum Migrations {
    /// In order.
    package static let all = [
        Migration(name: "m0001_roles_and_schemas", script: PackageResources.m0001_roles_and_schemas_sql),
        Migration(name: "m0002_identity", script: PackageResources.m0002_identity_sql),
        Migration(name: "m0003_research", script: PackageResources.m0003_research_sql),
        Migration(name: "m0004_audit", script: PackageResources.m0004_audit_sql),
        Migration(name: "m0005_changes", script: PackageResources.m0005_changes_sql),
        Migration(name: "m0006_housekeeping", script: PackageResources.m0006_housekeeping_sql),
        Migration(name: "m0007_device_clocks", script: PackageResources.m0007_device_clocks_sql),
        Migration(name: "m0008_key_check", script: PackageResources.m0008_key_check_sql),
        Migration(name: "m0009_export_reading", script: PackageResources.m0009_export_reading_sql),
        Migration(name: "m0010_score_details", script: PackageResources.m0010_score_details_sql),
        Migration(name: "m0011_export_jobs", script: PackageResources.m0011_export_jobs_sql),
        Migration(name: "m0012_api_tokens", script: PackageResources.m0012_api_tokens_sql),
        Migration(name: "m0013_schedules", script: PackageResources.m0013_schedules_sql),
        Migration(name: "m0014_lean_reading", script: PackageResources.m0014_lean_reading_sql),
        Migration(
            name: "m0015_set_based_changes", script: PackageResources.m0015_set_based_changes_sql),
        Migration(name: "m0016_observations", script: PackageResources.m0016_observations_sql),
        Migration(name: "m0017_answer_shapes", script: PackageResources.m0017_answer_shapes_sql),
        Migration(name: "m0018_allocation", script: PackageResources.m0018_allocation_sql),
        Migration(name: "m0019_growth", script: PackageResources.m0019_growth_sql),
        Migration(name: "m0020_reminders", script: PackageResources.m0020_reminders_sql),
        Migration(name: "m0021_channels", script: PackageResources.m0021_channels_sql),
        Migration(name: "m0022_webhooks", script: PackageResources.m0022_webhooks_sql),
        Migration(name: "m0023_arm_changes", script: PackageResources.m0023_arm_changes_sql),
        Migration(name: "m0025_usage_events", script: PackageResources.m0025_usage_events_sql),
        Migration(name: "m0026_amendments", script: PackageResources.m0026_amendments_sql),
        Migration(name: "m0027_devices", script: PackageResources.m0027_devices_sql),
        Migration(
            name: "m0028_samples_compression", script: PackageResources.m0028_samples_compression_sql),
        Migration(name: "m0029_history", script: PackageResources.m0029_history_sql),
        Migration(name: "m0030_erased_accounts", script: PackageResources.m0030_erased_accounts_sql),
        Migration(name: "m0031_unplaced_sheets", script: PackageResources.m0031_unplaced_sheets_sql),
        Migration(
            name: "m0033_counted_allocations", script: PackageResources.m0033_counted_allocations_sql),
        Migration(name: "m0037_amendment_order", script: PackageResources.m0037_amendment_order_sql),
        Migration(
            name: "m0038_observation_revisions", script: PackageResources.m0038_observation_revisions_sql),
        Migration(
            name: "m0040_moments_in_calendar", script: PackageResources.m0040_moments_in_calendar_sql),
    ]

    /// Brings the database up to date. Two servers that start at once take turns under an advisory lock; the second finds nothing to do.
    /// - Returns: the names that were applied now.
    @discardableResult
    package static func apply(
        _ migrations: [Migration] = all, to url: ConnectionString, logger: Logger
    ) async throws -> [String] {
        let pool = Pool(
            connectionString: url, size: 1, name: "migrations", applicationName: "saunter-migrations",
            statementTimeout: nil, logger: logger)
        var applied: [String] = []
        do {
            while let name = try await applyNext(of: migrations, pool) {
                logger.info("applied a migration", metadata: ["migration": "\(name)"])
                applied.append(name)
            }
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
        return applied
    }

    /// One transaction: lock, compare, apply the first that is missing.
    private static func applyNext(of migrations: [Migration], _ pool: Pool) async throws -> String? {
        try await pool.write { transaction in
            _ = try await transaction.query(Statements.migrations["lock_migrations"], [])
            _ = try await transaction.query(Statements.migrations["create_migration_table"], [])
            var present: [String: String] = [:]
            for row in try await transaction.query(Statements.migrations["list_migrations"], []) {
                present[try row.get("name")] = try row.get("digest", as: String.self)
            }
            let unknown = Set(present.keys).subtracting(migrations.map(\.name)).sorted()
            guard unknown.isEmpty else { throw MigrationFault.newer(names: unknown) }
            for migration in migrations {
                let digest = migration.digest
                if let stored = present[migration.name] {
                    guard stored == digest else { throw MigrationFault.altered(name: migration.name) }
                    continue
                }
                try await transaction.execute(script: String(decoding: migration.script, as: UTF8.self))
                _ = try await transaction.query(
                    Statements.migrations["insert_migration"], [.text(migration.name), .text(digest)])
                return migration.name
            }
            return nil
        }
    }
}
