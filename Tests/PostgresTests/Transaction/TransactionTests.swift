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

    func fetchNumbers(_ connection: Connection) async throws -> [Int] {
        try await connection.run("select n from t order by n").map { try $0.get("n") }
    }

    @Test func `a transaction commits if its block returns, and returns the value of the block`() async throws
    {
        try await withTable { connection in
            let value = try await connection.transaction { transaction in
                try await transaction.run("insert into t values (1)")
                return "done"
            }
            #expect(value == "done")
            let stored = try await fetchNumbers(connection)
            #expect(stored == [1])
        }
    }

    @Test func `a transaction is rolled back if its block throws, and throws the error of the block`()
        async throws
    {
        try await withTable { connection in
            await #expect(throws: Failure(number: 7)) {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    throw Failure(number: 7)
                }
            }
            let stored = try await fetchNumbers(connection)
            #expect(stored == [])
        }
    }

    @Test func `the error of the block is thrown even if the connection is lost in the block`() async throws {
        try await withTable { connection in
            try await Observer.with { observer in
                await #expect(throws: Failure(number: 8)) {
                    try await connection.transaction { transaction in
                        try await observer.terminate(try await transaction.backendPID())
                        throw Failure(number: 8)
                    }
                }
                #expect(await !connection.isUsable)
            }
        }
    }

    @Test func `a commit fails if the block ignored an error of a statement`() async throws {
        try await withTable { connection in
            await #expect {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    _ = try? await transaction.run("select 1 / 0")
                }
            } throws: { ($0 as? DatabaseError)?.sqlState == .inFailedSQLTransaction }
            let stored = try await fetchNumbers(connection)
            #expect(stored == [])
        }
    }

    @Test func `a deferred constraint that is violated fails the commit`() async throws {
        try await withTable { connection in
            await #expect {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1), (1)")
                }
            } throws: { ($0 as? DatabaseError)?.constraint == "t_unique" }
            let stored = try await fetchNumbers(connection)
            #expect(stored == [])
        }
    }

    @Test func `rolling back a savepoint undoes only the work in the savepoint`() async throws {
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
            let stored = try await fetchNumbers(connection)
            #expect(stored == [1, 3, 5])
        }
    }

    @Test func `a handle is usable only while its block is the innermost block`() async throws {
        try await withTable { connection in
            var leaked: Transaction?
            try await connection.transaction { outer in
                leaked = outer
                #expect(
                    await errorKind { try await connection.run("select 1") }
                        == .misuse("a transaction is open on this connection; use its handle"))
                try await outer.savepoint { _ in
                    #expect(
                        await errorKind { try await outer.run("select 1") }
                            == .misuse("a savepoint is open in this transaction; use its handle"))
                }
                try await outer.run("insert into t values (1)")
            }
            let handle = try #require(leaked)
            #expect(
                await errorKind { try await handle.run("select 1") } == .misuse("this transaction has ended"))
            #expect(
                await errorKind { try await handle.savepoint { _ in } }
                    == .misuse("this transaction has ended"))
            let stored = try await fetchNumbers(connection)
            #expect(stored == [1])
        }
    }

    @Test func `a read-only transaction rejects writes`() async throws {
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
    func `a transaction has the requested isolation level`(isolation: Isolation, name: String) async throws {
        try await TestServer.withConnection { connection in
            let level = try await connection.transaction(isolation: isolation) {
                try await $0.value(
                    "select current_setting('transaction_isolation') as value", as: String.self)
            }
            #expect(level == name)
        }
    }

    @Test func `if two serializable transactions conflict, one fails with a transient error`() async throws {
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
                Issue.record("both transactions committed")
            } catch let error as DatabaseError {
                #expect(error.sqlState == .serializationFailure)
                #expect(error.isTransient)
            }
            await first.close()
            await second.close()
        }
    }

    @Test(arguments: ["commit", "rollback", "commit; begin; select 1; commit"])
    func `a script that ends the transaction of its block drops the connection`(script: String)
        async throws
    {
        try await withTable { connection in
            #expect(
                await errorKind {
                    try await connection.transaction { try await $0.execute(script: script) }
                } == .misuse("the transaction was ended by a statement in it"))
            #expect(await !connection.isUsable)
        }
    }

    @Test func `a transaction is rolled back if its task is cancelled before the commit`() async throws {
        try await withTable { connection in
            let task = Task {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(await errorKind { try await task.value } == .cancelled)
            let stored = try await fetchNumbers(connection)
            #expect(stored == [])
            #expect(await connection.isUsable)
        }
    }
}
