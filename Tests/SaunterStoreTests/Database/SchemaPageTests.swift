import Foundation
import Postgres
import Testing

@testable import SaunterStore

/// `sql/schema.sql` shows the schema that the migrations create. `SAUNTER_GOLDEN=write` writes the file.
@Suite struct SchemaPageTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "sql/schema.sql")

    @Test func `sql/schema.sql shows every table, column, constraint and index`() async throws {
        try await StoreFixture.with { fixture in
            let tables: [String] = try await fixture.values(Self.tables)
            let page = Self.head + tables.joined(separator: "\n\n") + "\n"

            if ProcessInfo.processInfo.environment["SAUNTER_GOLDEN"] == "write" {
                try page.write(to: Self.file, atomically: true, encoding: .utf8)
            }

            #expect(try String(contentsOf: Self.file, encoding: .utf8) == page)
        }
    }

    private static let head = """
        -- The schema after all migrations, generated from the database's catalogue by SchemaPageTests. Do not edit it:
        -- SAUNTER_GOLDEN=write swift test --filter SchemaPageTests
        -- What the tables and columns mean is written in sql/migrations.


        """

    /// One text per table: its columns in order, its constraints, and its indexes that are not constraints.
    private static let tables = """
        select format(E'create table %I.%I (\\n%s\\n);', n.nspname, c.relname, concat_ws(E',\\n',
          (select string_agg(format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
              case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid),
              case when a.attidentity <> '' then ' generated always as identity' end), E',\\n' order by a.attnum)
            from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
          (select string_agg(format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), E',\\n'
              order by array_position('{p,u,f,c}', k.contype), k.conname)
            from pg_constraint k where k.conrelid = c.oid)))
          || coalesce((select string_agg(E'\\n' || pg_get_indexdef(i.indexrelid) || ';', '' order by i.indexrelid::regclass::text)
            from pg_index i
            where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)), '') as value
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('identity', 'research', 'audit') and c.relkind in ('r', 'p')
        order by n.nspname, c.relname
        """
}
