import Postgres
import Testing

@Suite("Pipeline") struct PipelineTests {
    let insert = Statement(name: "insert_number", sql: "insert into t (n) values ($1)")
    let count = Statement(name: "count_numbers", sql: "select count(*) as value from t")

    func withTable(_ body: (Connection) async throws -> Void) async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(
                script:
                    "create temp table t (n int constraint t_unique unique deferrable initially immediate)")
            try await body(connection)
        }
    }

    func countNumbers(_ connection: Connection) async throws -> Int {
        try await connection.query(count).one().get("value")
    }

    @Test func `results are in the order of the calls, on first use and on later use`() async throws {
        try await withTable { connection in
            for round in 1...2 {
                let results = try await connection.pipeline([
                    (insert, [.int4(Int32(round * 2))]), (count, []), (insert, [.int4(Int32(round * 2 + 1))]),
                    (count, []),
                ])
                #expect(results.map(\.affected) == [1, 1, 1, 1])
                #expect(try results[1].one().get("value") == round * 2 - 1)
                #expect(try results[3].one().get("value") == round * 2)
            }
            #expect(try await connection.pipeline([]).isEmpty)
        }
    }

    @Test func `outside a transaction, a failure undoes the whole pipeline and names the statement`()
        async throws
    {
        try await withTable { connection in
            do throws(DatabaseError) {
                _ = try await connection.pipeline([
                    (insert, [.int4(1)]), (insert, [.int4(2)]),
                    (Statement(name: "bad", sql: "select 1 / $1"), [.int4(0)]),
                    (insert, [.int4(3)]),
                ])
                Issue.record("the pipeline succeeded")
            } catch {
                #expect(error.sqlState == SQLState("22012"))
                #expect(error.statement == "bad")
            }
            let rowCount = try await countNumbers(connection)
            #expect(rowCount == 0)
        }
    }

    @Test func `a statement that cannot be prepared does not affect earlier ones`() async throws {
        try await withTable { connection in
            let bad = Statement(name: "bad", sql: "select missing")
            for _ in 1...2 {
                await #expect {
                    _ = try await connection.pipeline([(insert, [.int4(1)]), (bad, []), (insert, [.int4(2)])])
                } throws: { ($0 as? DatabaseError)?.statement == "bad" }
            }
            _ = try await connection.pipeline([(insert, [.int4(1)]), (insert, [.int4(2)])])
            let rowCount = try await countNumbers(connection)
            #expect(rowCount == 2)
        }
    }

    @Test func `a constraint that is violated at commit fails the pipeline`() async throws {
        try await withTable { connection in
            let deferConstraints = Statement(name: "defer", sql: "set constraints all deferred")
            do throws(DatabaseError) {
                _ = try await connection.pipeline([
                    (deferConstraints, []), (insert, [.int4(1)]), (insert, [.int4(1)]),
                ])
                Issue.record("the pipeline committed")
            } catch {
                #expect(error.constraint == "t_unique")
            }
            let rowCount = try await countNumbers(connection)
            #expect(rowCount == 0)
        }
    }

    @Test func `a pipeline in a transaction is rolled back with the transaction`() async throws {
        try await withTable { connection in
            await #expect(throws: CancellationError.self) {
                try await connection.transaction { transaction in
                    _ = try await transaction.pipeline([(insert, [.int4(1)]), (insert, [.int4(2)])])
                    throw CancellationError()
                }
            }
            let rowCount = try await countNumbers(connection)
            #expect(rowCount == 0)
        }
    }

    @Test func `a value that cannot be encoded is rejected before any statement is sent`() async throws {
        try await withTable { connection in
            await #expect {
                _ = try await connection.pipeline([
                    (insert, [.int4(1)]), (Statement(name: "bad", sql: "select $1"), [.text("\0")]),
                ])
            } throws: { ($0 as? DatabaseError)?.statement == "bad" }
            let rowCount = try await countNumbers(connection)
            #expect(rowCount == 0)
        }
    }

    @Test func `a pipeline can exceed the network buffers in both directions`() async throws {
        let echo = Statement(name: "echo", sql: "select $1 as value")
        let text = String(repeating: "x", count: 100_000)
        try await TestServer.withConnection { connection in
            let results = try await connection.pipeline(
                [(Statement, Arguments)](repeating: (echo, [.text(text)]), count: 300))
            #expect(results.count == 300)
            #expect(try results.allSatisfy { try $0.one().get("value") == text })
        }
    }
}
