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

    func numberCount(_ connection: Connection) async throws -> Int {
        try await connection.query(count).one().get("value")
    }

    @Test func `answers come in the order of the calls, on first use and later`() async throws {
        try await withTable { connection in
            for round in 1...2 {
                let answers = try await connection.pipeline([
                    (insert, [.int4(Int32(round * 2))]), (count, []), (insert, [.int4(Int32(round * 2 + 1))]),
                    (count, []),
                ])
                #expect(answers.map(\.affected) == [1, 1, 1, 1])
                #expect(try answers[1].one().get("value") == round * 2 - 1)
                #expect(try answers[3].one().get("value") == round * 2)
            }
            #expect(try await connection.pipeline([]).isEmpty)
        }
    }

    @Test func `outside a transaction the first failure undoes all, and names its statement`() async throws {
        try await withTable { connection in
            do throws(DatabaseError) {
                _ = try await connection.pipeline([
                    (insert, [.int4(1)]), (insert, [.int4(2)]),
                    (Statement(name: "bad", sql: "select 1 / $1"), [.int4(0)]),
                    (insert, [.int4(3)]),
                ])
                Issue.record("done")
            } catch {
                #expect(error.sqlState == SQLState("22012"))
                #expect(error.statement == "bad")
            }
            let left = try await numberCount(connection)
            #expect(left == 0)
        }
    }

    @Test func `a statement that cannot be prepared does not disturb those before`() async throws {
        try await withTable { connection in
            let bad = Statement(name: "bad", sql: "select missing")
            for _ in 1...2 {
                await #expect {
                    _ = try await connection.pipeline([(insert, [.int4(1)]), (bad, []), (insert, [.int4(2)])])
                } throws: { ($0 as? DatabaseError)?.statement == "bad" }
            }
            _ = try await connection.pipeline([(insert, [.int4(1)]), (insert, [.int4(2)])])
            let left = try await numberCount(connection)
            #expect(left == 2)
        }
    }

    @Test func `a constraint that fails only at the commit fails the pipeline`() async throws {
        try await withTable { connection in
            let deferConstraints = Statement(name: "defer", sql: "set constraints all deferred")
            do throws(DatabaseError) {
                _ = try await connection.pipeline([
                    (deferConstraints, []), (insert, [.int4(1)]), (insert, [.int4(1)]),
                ])
                Issue.record("committed")
            } catch {
                #expect(error.constraint == "t_unique")
            }
            let left = try await numberCount(connection)
            #expect(left == 0)
        }
    }

    @Test func `in a transaction it is part of that`() async throws {
        try await withTable { connection in
            await #expect(throws: CancellationError.self) {
                try await connection.transaction { transaction in
                    _ = try await transaction.pipeline([(insert, [.int4(1)]), (insert, [.int4(2)])])
                    throw CancellationError()
                }
            }
            let left = try await numberCount(connection)
            #expect(left == 0)
        }
    }

    @Test func `what cannot be sent is refused before anything is`() async throws {
        try await withTable { connection in
            await #expect {
                _ = try await connection.pipeline([
                    (insert, [.int4(1)]), (Statement(name: "bad", sql: "select $1"), [.text("\0")]),
                ])
            } throws: { ($0 as? DatabaseError)?.statement == "bad" }
            let left = try await numberCount(connection)
            #expect(left == 0)
        }
    }

    @Test func `more than the network's buffers hold goes both ways at once`() async throws {
        let echo = Statement(name: "echo", sql: "select $1 as value")
        let text = String(repeating: "x", count: 100_000)
        try await TestServer.withConnection { connection in
            let answers = try await connection.pipeline(
                [(Statement, [Parameter])](repeating: (echo, [.text(text)]), count: 300))
            #expect(answers.count == 300)
            #expect(try answers.allSatisfy { try $0.one().get("value") == text })
        }
    }
}
