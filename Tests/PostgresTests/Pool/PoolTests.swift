import Logging
import Postgres
import Synchronization
import Testing

@Suite("Pool") struct PoolTests {
    struct Failure: Error {}

    @Test func `many tasks share few connections`() async throws {
        try await TestServer.withPool(size: 4) { pool in
            let backends = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...400 { group.addTask { try await pool.backendPID() } }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect((1...4).contains(backends.count))
        }
    }

    @Test func `write commits its transaction, and read rejects writes`() async throws {
        try await TestServer.withDatabase { string in
            try await TestServer.withPool(size: 2, connectionString: string) { pool in
                try await pool.withConnection { try await $0.execute(script: "create table t (n int)") }
                try await pool.write { try await $0.run("insert into t values (1)") }
                await #expect(throws: Failure.self) {
                    try await pool.write { transaction in
                        try await transaction.run("insert into t values (2)")
                        throw Failure()
                    }
                }
                await #expect {
                    try await pool.read { try await $0.run("insert into t values (3)") }
                } throws: {
                    ($0 as? DatabaseError)?.sqlState == .readOnlySQLTransaction
                }
                let insert = Statement(name: "insert", sql: "insert into t values ($1)")
                _ = try await pool.pipeline([(insert, [.int4(4)]), (insert, [.int4(5)])])
                let numbers = try await pool.read(isolation: .repeatableRead) {
                    try await $0.run("select n from t order by n").map { try $0.get("n", as: Int.self) }
                }
                #expect(numbers == [1, 4, 5])
            }
        }
    }

    @Test func `a transaction with opening statements commits or rolls back as a whole`() async throws {
        try await TestServer.withDatabase { string in
            try await TestServer.withPool(size: 1, connectionString: string) { pool in
                try await pool.withConnection {
                    try await $0.execute(script: "create table t (n int primary key)")
                }
                let insert = Statement(name: "insert", sql: "insert into t values ($1) returning n")
                let sum = try await pool.write(opening: [(insert, [.int4(1)]), (insert, [.int4(2)])]) {
                    transaction, found in
                    let before = try found.map { try $0.one().get("n", as: Int.self) }.reduce(0, +)
                    return try await transaction.query(insert, [.int4(3)]).one().get("n", as: Int.self)
                        + before
                }
                #expect(sum == 6)
                await #expect(throws: Failure.self) {
                    try await pool.write(opening: [(insert, [.int4(4)])]) { _, _ in throw Failure() }
                }
                // The second opening statement fails, so the block does not run and the first one is undone.
                await #expect {
                    try await pool.write(opening: [(insert, [.int4(5)]), (insert, [.int4(1)])]) { _, _ in
                        Issue.record("the block ran")
                    }
                } throws: {
                    ($0 as? DatabaseError)?.serverFault?.state == .uniqueViolation
                }
                let numbers = try await pool.run("select n from t order by n").map {
                    try $0.get("n", as: Int.self)
                }
                #expect(numbers == [1, 2, 3])
            }
        }
    }

    @Test func `a transaction with opening statements begins on another connection if its own is broken`()
        async throws
    {
        try await TestServer.withPool(size: 1) { pool in
            try await Observer.with { observer in
                let first = try await pool.backendPID()
                try await observer.terminate(first)
                let statement = Statement(name: "pid", sql: "select pg_backend_pid() as value")
                let second = try await pool.write(opening: [(statement, [])]) { _, found in
                    try found[0].one().get("value", as: Int.self)
                }
                #expect(first != second)
            }
        }
    }

    @Test func `the task that has waited longest is served first`() async throws {
        try await TestServer.withPool(size: 1) { pool in
            let recorder = OrderRecorder()
            let tasks = try await pool.withConnection { _ in
                var tasks: [Task<Void, any Error>] = []
                for number in 1...20 {
                    tasks.append(
                        Task { try await pool.withConnection { _ in recorder.record(number) } })
                    while pool.waitingCount < number { await Task.yield() }
                }
                return tasks
            }
            for task in tasks { try await task.value }
            #expect(recorder.numbers == Array(1...20))
        }
    }

    @Test func `a request fails after the acquire timeout, or immediately if the queue is full`() async throws
    {
        try await TestServer.withPool(size: 1, acquireTimeout: .seconds(10), maximumWaiting: 1) { pool in
            try await pool.withConnection { _ in
                let first = Task { try await pool.run("select 1") }
                while pool.waitingCount < 1 { await Task.yield() }
                #expect(await errorKind { try await pool.run("select 1") } == .timeout(.acquire))
                #expect(await errorKind { _ = try await first.value } == .timeout(.acquire))
            }
            try await pool.run("select 1")
        }
    }

    @Test func `a task that is cancelled while it waits leaves the queue`() async throws {
        try await TestServer.withPool(size: 1) { pool in
            try await pool.withConnection { _ in
                let waiting = Task { try await pool.run("select 1") }
                while pool.waitingCount < 1 { await Task.yield() }
                waiting.cancel()
                #expect(await errorKind { _ = try await waiting.value } == .cancelled)
                #expect(pool.waitingCount == 0)
            }
            try await pool.run("select 1")
        }
    }

    @Test func `a connection with an open transaction is not reused`() async throws {
        try await TestServer.withPool(size: 1) { pool in
            let first = try await pool.withConnection { connection in
                try await connection.execute(script: "begin")
                return try await connection.backendPID()
            }
            let second = try await pool.backendPID()
            #expect(first != second)
        }
    }

    @Test func `if the server ends idle connections, no request fails`() async throws {
        try await TestServer.withPool(size: 4) { pool in
            try await Observer.with { observer in
                for _ in 1...5 {
                    let backends = try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 1...4 {
                            group.addTask {
                                try await pool.withConnection { connection in
                                    try await connection.run("select pg_sleep(0.02)")
                                    return try await connection.backendPID()
                                }
                            }
                        }
                        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
                    }
                    for backend in backends { try await observer.terminate(backend) }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 1...8 {
                            group.addTask { _ = try await pool.write { try await $0.run("select 1") } }
                            group.addTask { _ = try await pool.run("select 1") }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
    }

    @Test func `if a leased connection breaks, only the task that holds it fails`() async throws {
        try await TestServer.withPool(size: 1) { pool in
            try await Observer.with { observer in
                let fault = await errorKind {
                    try await pool.write { transaction in
                        try await observer.terminate(try await transaction.backendPID())
                        try await transaction.run("select 1")
                    }
                }
                guard case .connection(_, commitUnknown: false) = fault else {
                    Issue.record("\(String(describing: fault))")
                    return
                }
                try await pool.run("select 1")
            }
        }
    }

    @Test func `the error after the acquire timeout names a server that is unreachable`() async throws {
        let string = try ConnectionString("host=/nonexistent dbname=postgres")
        let pool = Pool(
            connectionString: string, size: 3, acquireTimeout: .seconds(3), logger: Logger.discarding)
        guard
            case .connection(let reason, commitUnknown: false) = await errorKind({
                try await pool.run("select 1")
            }
            )
        else {
            Issue.record("no connection error")
            return
        }
        #expect(reason.contains("/nonexistent"))
        await pool.close()
    }

    @Test func `closing waits for leased connections and rejects new requests`() async throws {
        let pool = Pool(connectionString: try await TestServer.connectionString(), size: 2)
        let started = AsyncStream<Void>.makeStream()
        let finish = AsyncStream<Void>.makeStream()
        let holder = Task {
            try await pool.write { transaction in
                started.continuation.finish()
                for await _ in finish.stream {}
                return try await transaction.value("select 7 as value", as: Int.self)
            }
        }
        for await _ in started.stream {}
        let closing = Task { await pool.close(grace: .seconds(60)) }
        while await errorKind({ try await pool.run("select 1") }) != .closed { await Task.yield() }
        finish.continuation.finish()
        #expect(try await holder.value == 7)
        await closing.value
        await pool.close()
    }

    @Test func `when the grace period ends, a task loses its leased connection`() async throws {
        let pool = Pool(
            connectionString: try await TestServer.connectionString(), size: 1, logger: Logger.discarding)
        let backend = Mutex(0)
        let holder = Task {
            try await pool.withConnection { connection in
                let number = try await connection.backendPID()
                backend.withLock { $0 = number }
                try await connection.run("select pg_sleep(600)")
            }
        }
        while backend.withLock({ $0 }) == 0 { await Task.yield() }
        try await Observer.with {
            try await $0.wait(for: backend.withLock { $0 }, until: "wait_event = 'PgSleep'")
        }
        await pool.close(grace: .milliseconds(20))
        guard case .connection = await errorKind({ try await holder.value }) else {
            Issue.record("the holder kept its connection")
            return
        }
    }

    @Test func `the connections of a pool use its role`() async throws {
        try await TestServer.withPool(size: 1) { admin in
            try await admin.withConnection {
                try await $0.execute(
                    script: """
                        select pg_advisory_lock(4711);
                        do $$ begin create role "odd ""role"; exception when duplicate_object then null; end $$
                        """)
            }
            try await TestServer.withPool(size: 1, role: "odd \"role") { pool in
                let role: String = try await pool.value("select current_user::text as value")
                #expect(role == "odd \"role")
                await #expect { try await pool.run("select * from pg_authid") } throws: {
                    ($0 as? DatabaseError)?.sqlState == .insufficientPrivilege
                }
            }
        }
    }
}

/// Records the order in which tasks got a connection.
private final class OrderRecorder: Sendable {
    private let entries = Mutex<[Int]>([])

    var numbers: [Int] {
        entries.withLock { $0 }
    }

    func record(_ number: Int) {
        entries.withLock { $0.append(number) }
    }
}

extension Logger {
    /// Discards log messages. For tests that cause warnings on purpose.
    static var discarding: Logger {
        Logger(label: "discarding") { _ in SwiftLogNoOpLogHandler() }
    }
}
