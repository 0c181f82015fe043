import Foundation
import Postgres
import SaunterPacks
import SaunterTesting
import Testing

@testable import SaunterEvaluation

/// `Fixtures/schema_coverage.csv` states for every column of the database which column of the `full` dataset contains
/// it, or why none does. A new column of the schema fails here until someone decides.
@Suite struct SchemaCoverageTests {
    @Test func `every column of the schema is in the full dataset or has a reason not to be`() async throws {
        try await Garden.with { garden in
            let rows = try await garden.export.query(
                Statement(
                    name: "columns",
                    sql: """
                        select format('%s.%s.%s', n.nspname, c.relname, a.attname) as name
                        from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname in ('research', 'identity', 'audit') and c.relkind = 'r' and a.attnum > 0
                          and not a.attisdropped
                        """))
            let schema = try Set(rows.map { try $0.get("name", as: String.self) })
            #expect(schema.count > 400)
            let list = try TableRows(Garden.fixtures + "/schema_coverage.csv").map { $0 }
            var listed: Set<String> = []
            for row in list {
                let name = row["schema_column"] ?? ""
                let matching =
                    name.hasSuffix(".*")
                    ? schema.filter { $0.hasPrefix(name.dropLast()) } : schema.filter { $0 == name }
                #expect(!matching.isEmpty, "\(name) is not in the schema")
                #expect(listed.isDisjoint(with: matching), "\(name) is listed twice")
                listed.formUnion(matching)
                let (column, reason) = (row["dataset_column"] ?? "", row["reason_if_none"] ?? "")
                #expect(column.isEmpty != reason.isEmpty, "\(name) needs a column or a reason")
            }
            #expect(schema.subtracting(listed).sorted() == [])
        }
    }

    @Test func `the columns that the list names exist in the full dataset`() async throws {
        try await Garden.with { garden in
            let versions = try await garden.export.query(
                SQLFile.frame["dataset_versions"], ["study": .text("garden")])
            let definitions = try StudyDefinitions.read("garden", rows: versions)
            let tables =
                Tables.all(definitions, .full)
                + [
                    Tables.presentedOrders, Tables.contentShown, Tables.decisions, Tables.alerts,
                    Tables.awards, Tables.broadcasts, Tables.entitlements,
                ]
            let columns = Set(
                tables.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } })
            let named = try TableRows(Garden.fixtures + "/schema_coverage.csv").map {
                $0["dataset_column"] ?? ""
            }
            #expect(Set(named.filter { !$0.isEmpty }).subtracting(columns).sorted() == [])
        }
    }
}
