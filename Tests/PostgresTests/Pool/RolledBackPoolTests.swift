import Postgres
import Testing

@Suite("Pool with isRolledBack") struct RolledBackPoolTests {
    struct Failure: Error {}

    @Test func `the pool behaves like any other pool, and closing it undoes everything`() async throws {
        try await TestServer.withDatabase { string in
            try await TestServer.withPool(size: 1, connectionString: string) { observer in
                try await observer.withConnection { try await $0.execute(script: "create table t (n int)") }
                let pool = Pool(connectionString: string, size: 8, isRolledBack: true)
                try await pool.write { try await $0.run("insert into t values (1)") }
                await #expect(throws: Failure.self) {
                    try await pool.write { transaction in
                        try await transaction.run("insert into t values (2)")
                        throw Failure()
                    }
                }
                await #expect(throws: DatabaseError.self) { try await pool.run("select 1 / 0") }
                await #expect {
                    try await pool.read { try await $0.run("insert into t values (3)") }
                } throws: {
                    ($0 as? DatabaseError)?.sqlState == .readOnlySQLTransaction
                }
                try await pool.run("insert into t values (4)")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 5...8 {
                        group.addTask {
                            _ = try await pool.write {
                                try await $0.run("insert into t values ($1)", .int4(Int32(number)))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let insert = Statement(name: "insert", sql: "insert into t values ($1)")
                _ = try await pool.pipeline([(insert, [.int4(9)]), (insert, [.int4(10)])])

                let numbersInPool: String = try await pool.value(
                    "select string_agg(n::text, ' ' order by n) as value from t")
                let countOutside: Int = try await observer.value("select count(*) as value from t")
                #expect(numbersInPool == "1 4 5 6 7 8 9 10")
                #expect(countOutside == 0)
                await pool.close()
                let countAfterClose: Int = try await observer.value("select count(*) as value from t")
                #expect(countAfterClose == 0)
            }
        }
    }
}
