import Postgres
import Testing

@Suite("Transaction") struct TransactionTests {
    struct Failure: Error, Equatable {
        let number: Int
    }

    func withTable(_ body: (Connection) async throws -> Void) async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(
                script: "create temp table t (n int constraint t_unique unique deferrable initially deferred)"
            )
            try await body(connection)
        }
    }

    func numbers(_ connection: Connection) async throws -> [Int] {
        try await connection.run("select n from t order by n").map { try $0.get("n") }
    }

    @Test func `a block that returns is committed, with its value`() async throws {
        try await withTable { connection in
            let value = try await connection.transaction { transaction in
                try await transaction.run("insert into t values (1)")
                return "done"
            }
            #expect(value == "done")
            let stored = try await numbers(connection)
            #expect(stored == [1])
        }
    }

    @Test func `a block that throws is rolled back, and its error is kept`() async throws {
        try await withTable { connection in
            await #expect(throws: Failure(number: 7)) {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    throw Failure(number: 7)
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func `the block's error is kept even when the connection is lost with it`() async throws {
        try await withTable { connection in
            try await Observer.with { observer in
                await #expect(throws: Failure(number: 8)) {
                    try await connection.transaction { transaction in
                        try await observer.terminate(try await transaction.backend())
                        throw Failure(number: 8)
                    }
                }
                #expect(await !connection.isUsable)
            }
        }
    }

    @Test func `a commit of a transaction in which an error was passed over fails`() async throws {
        try await withTable { connection in
            await #expect {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    _ = try? await transaction.run("select 1 / 0")
                }
            } throws: { ($0 as? DatabaseError)?.sqlState == .inFailedSQLTransaction }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func `a constraint that fails at the commit is the commit's error`() async throws {
        try await withTable { connection in
            await #expect {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1), (1)")
                }
            } throws: { ($0 as? DatabaseError)?.constraint == "t_unique" }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func `a savepoint undoes only what it did`() async throws {
        try await withTable { connection in
            try await connection.transaction { outer in
                try await outer.run("insert into t values (1)")
                await #expect(throws: Failure(number: 1)) {
                    try await outer.savepoint { inner in
                        try await inner.run("insert into t values (2)")
                        throw Failure(number: 1)
                    }
                }
                await #expect(throws: DatabaseError.self) {
                    try await outer.savepoint { inner in try await inner.run("select 1 / 0") }
                }
                try await outer.savepoint { inner in
                    try await inner.run("insert into t values (3)")
                    _ = try? await inner.savepoint { innermost in
                        try await innermost.run("insert into t values (4)")
                        try await innermost.run("select 1 / 0")
                    }
                    try await inner.run("insert into t values (5)")
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [1, 3, 5])
        }
    }

    @Test func `a handle is usable only while its block is the innermost`() async throws {
        try await withTable { connection in
            var leaked: Transaction?
            try await connection.transaction { outer in
                leaked = outer
                #expect(
                    await kind { try await connection.run("select 1") }
                        == .misuse("a transaction is open on this connection; use its handle"))
                try await outer.savepoint { _ in
                    #expect(
                        await kind { try await outer.run("select 1") }
                            == .misuse("a savepoint is open in this transaction; use its handle"))
                }
                try await outer.run("insert into t values (1)")
            }
            let handle = try #require(leaked)
            #expect(await kind { try await handle.run("select 1") } == .misuse("this transaction has ended"))
            #expect(
                await kind { try await handle.savepoint { _ in } } == .misuse("this transaction has ended"))
            let stored = try await numbers(connection)
            #expect(stored == [1])
        }
    }

    @Test func `a read-only transaction writes nothing`() async throws {
        try await TestServer.withDatabase { string in
            let connection = try await Connection.connect(to: string)
            try await connection.execute(script: "create table t (n int)")
            await #expect {
                try await connection.transaction(readOnly: true) {
                    try await $0.run("insert into t values (1)")
                }
            } throws: { ($0 as? DatabaseError)?.sqlState == .readOnlySQLTransaction }
            await connection.close()
        }
    }

    @Test(arguments: [
        (Isolation.readCommitted, "read committed"), (.repeatableRead, "repeatable read"),
        (.serializable, "serializable"),
    ])
    func `the isolation is as asked`(isolation: Isolation, name: String) async throws {
        try await TestServer.withConnection { connection in
            let level = try await connection.transaction(isolation: isolation) {
                try await $0.value(
                    "select current_setting('transaction_isolation') as value", as: String.self)
            }
            #expect(level == name)
        }
    }

    @Test func `of two serializable transactions that contradict each other one fails for now`() async throws
    {
        try await TestServer.withDatabase { string in
            let (first, second) = (
                try await Connection.connect(to: string), try await Connection.connect(to: string)
            )
            try await first.execute(script: "create table t (n int)")
            do {
                try await first.transaction(isolation: .serializable) { one in
                    try await one.run("select count(*) from t")
                    try await second.transaction(isolation: .serializable) { two in
                        try await two.run("select count(*) from t")
                        try await two.run("insert into t values (2)")
                    }
                    try await one.run("insert into t values (1)")
                }
                Issue.record("both committed")
            } catch let error as DatabaseError {
                #expect(error.sqlState == .serializationFailure)
                #expect(error.isTransient)
            }
            await first.close()
            await second.close()
        }
    }

    @Test(arguments: ["commit", "rollback", "commit; begin; select 1; commit"])
    func `a script that ends the transaction under its block drops the connection`(script: String)
        async throws
    {
        try await withTable { connection in
            #expect(
                await kind {
                    try await connection.transaction { try await $0.execute(script: script) }
                } == .misuse("the transaction was ended by a statement in it"))
            #expect(await !connection.isUsable)
        }
    }

    @Test func `a task that is cancelled before the commit keeps nothing`() async throws {
        try await withTable { connection in
            let task = Task {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(await kind { try await task.value } == .cancelled)
            let stored = try await numbers(connection)
            #expect(stored == [])
            #expect(await connection.isUsable)
        }
    }
}
