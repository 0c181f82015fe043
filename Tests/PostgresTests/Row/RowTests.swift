import Foundation
import Postgres
import Testing

@Suite("Row") struct RowTests {
    @Test func `a value of the wrong type causes an error that names row, column and statement`() async throws
    {
        try await TestServer.withConnection { connection in
            let rows = try await connection.run("select n as value from generate_series(1, 3) n")
            #expect(
                await errorKind { _ = try rows[1].get("value", as: UUID.self) }
                    == .decode(row: 1, column: "value", reason: "a value of oid 23 does not fit UUID"))
            do throws(DatabaseError) {
                _ = try rows[2].get("value", as: String.self)
                Issue.record("the value was decoded")
            } catch {
                #expect(error.statement == "test")
            }
        }
    }

    @Test func `reading NULL as a non-optional value is an error`() async throws {
        try await TestServer.withConnection { connection in
            let row = try await connection.run("select null::text as value, array[1, null] as several").one()
            #expect(
                await errorKind { _ = try row.get("value", as: String.self) }
                    == .decode(row: 0, column: "value", reason: "is NULL"))
            #expect(throws: DatabaseError.self) { try row.get("several", as: [Int].self) }
            #expect(try row.get("several", as: [Int?].self) == [1, nil])
        }
    }

    @Test func `an unknown column is an error, and a repeated column name means the first column`()
        async throws
    {
        try await TestServer.withConnection { connection in
            let row = try await connection.run("select 1 as a, 2 as a").one()
            #expect(try row.get("a", as: Int.self) == 1)
            #expect(
                await errorKind { _ = try row.getOptional("b", as: Int.self) }
                    == .decode(row: 0, column: "b", reason: "no such column"))
        }
    }

    @Test func `infinite times, nested arrays and intervals are rejected`() async throws {
        try await TestServer.withConnection { connection in
            let row = try await connection.run(
                "select 'infinity'::timestamptz as t, '-infinity'::date as d, array[[1, 2], [3, 4]] as m, interval '1 day' as i"
            ).one()
            #expect(throws: DatabaseError.self) { try row.timestamp("t") }
            #expect(throws: DatabaseError.self) { try row.date("d") }
            #expect(throws: DatabaseError.self) { try row.get("m", as: [Int].self) }
            #expect(throws: DatabaseError.self) { try row.get("i", as: String.self) }
            #expect(throws: DatabaseError.self) { try row.get("i", as: [UInt8].self) }
        }
    }

    @Test func `rows remain readable after their connection is closed`() async throws {
        let rows = try await TestServer.withConnection {
            try await $0.run("select 'row ' || n as value from generate_series(1, 1000) n")
        }

        #expect(try rows.map { try $0.get("value", as: String.self) }.last == "row 1000")
    }

    @Test func `the expected number of rows is enforced`() async throws {
        try await TestServer.withConnection { connection in
            let two = try await connection.run("select 1 union all select 2")
            let none = try await connection.run("select 1 where false")
            #expect(await errorKind { _ = try two.one() } == .rowCount(expected: "exactly one row", got: 2))
            #expect(await errorKind { _ = try none.one() } == .rowCount(expected: "exactly one row", got: 0))
            #expect(
                await errorKind { _ = try two.oneOrNone() } == .rowCount(expected: "at most one row", got: 2))
            #expect(try none.oneOrNone().map { _ in true } == nil)
            try await connection.execute(script: "create temp table t (n int)")
            let inserted = try await connection.run("insert into t select generate_series(1, 5)")
            #expect(inserted.affected == 5)
        }
    }
}
