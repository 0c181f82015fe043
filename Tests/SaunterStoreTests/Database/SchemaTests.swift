import Postgres
import Testing

@testable import SaunterStore

/// Rules for all tables, read from the catalogue. A new table that violates a rule fails here.
@Suite struct SchemaTests {
    @Test func `the queries find the participants' tables`() async throws {
        try await StoreFixture.with { fixture in
            let tables: [String] = try await fixture.values(
                "\(Self.participantTables) select name as value from tables")
            #expect(tables.count >= 12)
            #expect(tables.contains("research.answer_sheet"))
        }
    }

    @Test func `the primary key of every table of participants' data begins with the enrolment`() async throws
    {
        try await expectNone(
            """
            select t.name as value from tables t
            left join pg_index i on i.indrelid = t.oid and i.indisprimary
            where i.indkey[0] is distinct from t.enrolment
            """)
    }

    @Test func `no unique constraint spans enrolments`() async throws {
        try await expectNone(
            """
            select i.indexrelid::regclass::text as value from tables t
            join pg_index i on i.indrelid = t.oid and i.indisunique
            where i.indkey[0] is distinct from t.enrolment
            """)
    }

    @Test func `references between tables of participants' data contain the enrolment`() async throws {
        try await expectNone(
            """
            select c.conname as value from pg_constraint c
            join tables t on t.oid = c.conrelid
            join tables f on f.oid = c.confrelid
            where c.contype = 'f' and not (t.enrolment = any (c.conkey) and f.enrolment = any (c.confkey)
              and array_position(c.conkey, t.enrolment) = array_position(c.confkey, f.enrolment))
            """)
    }

    @Test func `every table of participants' data references the enrolment, except those of records`()
        async throws
    {
        try await expectNone(
            """
            select t.name as value from tables t
            -- The tables that devices fill: every transaction that inserts into them has locked the enrolment.
            where t.name <> 'research.enrolment' and t.name not in (
              'research.amendment', 'research.answer_sheet', 'research.answer_text', 'research.calibration',
              'research.change', 'research.observation', 'research.usage_event', 'research.walk')
            and not exists (
              select from pg_constraint c join tables f on f.oid = c.confrelid
              where c.conrelid = t.oid and c.contype = 'f')
            """)
    }

    @Test func `every reference has an index`() async throws {
        try await expectNone(
            """
            select c.conname as value from pg_constraint c
            join pg_class r on r.oid = c.conrelid
            join pg_namespace n on n.oid = r.relnamespace and n.nspname in ('identity', 'research', 'audit')
            where c.contype = 'f' and not exists (
              select from pg_index i
              where i.indrelid = c.conrelid and i.indpred is null
                and (select array_agg(k order by k) from unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) k)
                  = (select array_agg(k order by k) from unnest(c.conkey) k))
            """)
    }

    @Test func `moments have a time zone and texts have no maximum length`() async throws {
        try await expectNone(
            """
            select table_name || '.' || column_name as value from information_schema.columns
            where table_schema in ('identity', 'research', 'audit')
              and data_type in ('timestamp without time zone', 'character varying', 'character')
            """)
    }

    /// Tables of schema research with a column enrolment_id, and the number of that column.
    private static let participantTables = """
        with tables as (
          select c.oid, format('%I.%I', n.nspname, c.relname) as name, a.attnum as enrolment
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'research'
          join pg_attribute a on a.attrelid = c.oid and a.attname = 'enrolment_id'
          where c.relkind in ('r', 'p'))
        """

    private func expectNone(_ query: String) async throws {
        try await StoreFixture.with { fixture in
            let offenders: [String] = try await fixture.values("\(Self.participantTables) \(query)")
            #expect(offenders == [])
        }
    }
}
