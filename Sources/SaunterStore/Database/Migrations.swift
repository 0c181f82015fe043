import Crypto
import Foundation
import Logging
import Postgres
import SaunterCore

/// Why this binary cannot use a database.
package enum MigrationFault: Error, CustomStringConvertible {
    case altered(name: String)
    case newer(names: [String])

    /// One line for the operator, with the remedy.
    package var description: String {
        switch self {
        case .altered(let name):
            "the database contains the migration \(name) with another text; use the version that applied it"
        case .newer(let names):
            "the database is newer than this version: it contains the migrations \(names.joined(separator: ", ")); use a newer version"
        }
    }
}

/// One file of `sql/migrations`. After a release it is never edited, because the database stores its digest.
package struct Migration: Sendable {
    /// The name of the file without its extension, such as `m0001_baseline`.
    package var name: String
    /// The SQL text in UTF-8.
    package var script: [UInt8]

    /// SHA-256 of the script in hexadecimal digits.
    package var digest: String {
        Hex.encode(SHA256.hash(data: script))
    }
}

/// The forward-only migrations of `sql/migrations`. Each is applied once, in one transaction.
package enum Migrations {
    /// All migrations, in the order of application.
    package static let all = [
        Migration(name: "m0001_baseline", script: PackageResources.m0001_baseline_sql),
        Migration(name: "m0002_entries", script: PackageResources.m0002_entries_sql),
        Migration(
            name: "m0003_enrolment_codes", script: PackageResources.m0003_enrolment_codes_sql),
        Migration(name: "m0004_web_sessions", script: PackageResources.m0004_web_sessions_sql),
        Migration(
            name: "m0005_one_transaction", script: PackageResources.m0005_one_transaction_sql),
        Migration(
            name: "m0006_scores_with_sheets", script: PackageResources.m0006_scores_with_sheets_sql),
        Migration(name: "m0007_answer_views", script: PackageResources.m0007_answer_views_sql),
        Migration(name: "m0008_content", script: PackageResources.m0008_content_sql),
        Migration(name: "m0009_rules", script: PackageResources.m0009_rules_sql),
        Migration(name: "m0010_staff_messages", script: PackageResources.m0010_staff_messages_sql),
        Migration(
            name: "m0011_undecided_records", script: PackageResources.m0011_undecided_records_sql),
        Migration(name: "m0012_dashboard", script: PackageResources.m0012_dashboard_sql),
        Migration(name: "m0013_blinding", script: PackageResources.m0013_blinding_sql),
        Migration(name: "m0014_invitations", script: PackageResources.m0014_invitations_sql),
        Migration(name: "m0015_statistics", script: PackageResources.m0015_statistics_sql),
        Migration(
            name: "m0016_decisions_by_outcome", script: PackageResources.m0016_decisions_by_outcome_sql),
        Migration(name: "m0017_staff_reads", script: PackageResources.m0017_staff_reads_sql),
        Migration(name: "m0018_study_drafts", script: PackageResources.m0018_study_drafts_sql),
        Migration(
            name: "m0019_counted_occasions", script: PackageResources.m0019_counted_occasions_sql),
        Migration(
            name: "m0020_anonymous_accounts", script: PackageResources.m0020_anonymous_accounts_sql),
        Migration(name: "m0021_entitlements", script: PackageResources.m0021_entitlements_sql),
        Migration(name: "m0022_draft_revisions", script: PackageResources.m0022_draft_revisions_sql),
        Migration(name: "m0023_media_parts", script: PackageResources.m0023_media_parts_sql),
        Migration(
            name: "m0024_entitlement_periods", script: PackageResources.m0024_entitlement_periods_sql),
    ]

    /// Applies the missing migrations. An advisory lock serialises servers that start at the same time; the second
    /// server finds nothing to do.
    /// - Returns: the names of the applied migrations.
    /// - Throws: `MigrationFault` or `DatabaseError`.
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

    /// One transaction: lock, compare the stored digests, apply the first missing migration.
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
                    Statements.migrations["insert_migration"],
                    ["name": .text(migration.name), "digest": .text(digest)])
                return migration.name
            }
            return nil
        }
    }
}
