import Glibc
import Postgres
import Testing

@Suite("Cancellation and timeouts") struct CancellationTests {
    /// Waits until the server process `backend` sleeps, then cancels the task and waits for its end.
    func cancelDuringSleep(_ task: Task<some Sendable, any Error>, _ backend: Int) async throws {
        try await Observer.with { observer in
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `when a task is cancelled, its statement is cancelled and the connection remains usable`()
        async throws
    {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            let task = Task { try await connection.run("select pg_sleep(600)") }
            try await cancelDuringSleep(task, backend)
            #expect(await errorKind { _ = try await task.value } == .cancelled)
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `a task that is already cancelled sends no statement`() async throws {
        try await TestServer.withConnection { connection in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await connection.execute(script: "create temp table t ()")
            }
            #expect(await errorKind { _ = try await task.value } == .cancelled)
            let isTableAbsent: Bool = try await connection.value("select to_regclass('t') is null as value")
            #expect(isTableAbsent)
        }
    }

    @Test func `a cancelled transaction is rolled back`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            try await connection.execute(script: "create temp table t (n int)")
            let task = Task {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    try await transaction.run("select pg_sleep(600)")
                }
            }
            try await cancelDuringSleep(task, backend)
            #expect(await errorKind { try await task.value } == .cancelled)
            #expect(try await connection.value("select count(*) as value from t") == 0)
        }
    }

    @Test func `cancelling a connection cancels the running statement and no later statement`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            for _ in 1...20 {
                let task = Task { try await connection.run("select pg_sleep(600)") }
                try await Observer.with { observer in
                    try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
                }
                connection.cancel()
                #expect(await errorKind { _ = try await task.value } == .cancelled)
                for number in 1...5 {
                    #expect(try await connection.value("select \(number) as value") == number)
                }
            }
            connection.cancel()
            #expect(try await connection.value("select 1 as value") == 1)
        }
    }

    @Test func `a pipeline can be cancelled`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backendPID()
            let sleep = Statement(name: "sleep", sql: "select pg_sleep(600)")
            let task = Task { try await connection.pipeline([(sleep, []), (sleep, [])]) }
            try await cancelDuringSleep(task, backend)
            #expect(await errorKind { _ = try await task.value } == .cancelled)
            #expect(try await connection.backendPID() == backend)
        }
    }

    @Test func `the server stops a statement that exceeds the statement timeout`() async throws {
        // The second statement has the same timeout, so the timeout must be long enough for that statement.
        try await TestServer.withConnection(statementTimeout: .seconds(2)) { connection in
            #expect(
                await errorKind { try await connection.run("select pg_sleep(600)") } == .timeout(.statement))
            #expect(await connection.isUsable)
            try await connection.run("select 1")
        }
    }

    @Test func `a statement that another session cancels fails with a server error`() async throws {
        try await TestServer.withConnection(statementTimeout: .seconds(600)) { connection in
            let backend = try await connection.backendPID()
            let task = Task { try await connection.run("select pg_sleep(600)") }
            try await Observer.with { observer in
                try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
                try await observer.connection.run("select pg_cancel_backend($1)", .int4(Int32(backend)))
            }
            await #expect { _ = try await task.value } throws: {
                ($0 as? DatabaseError)?.sqlState == .queryCanceled
            }
        }
    }

    @Test func `a statement that waits longer than lock_timeout fails with lock_not_available`() async throws
    {
        try await TestServer.withConnection { connection in
            try await Observer.with { observer in
                try await observer.connection.run("select pg_advisory_lock(815)")
                try await connection.execute(script: "set lock_timeout = '20ms'")
                await #expect { try await connection.run("select pg_advisory_lock(815)") } throws: {
                    ($0 as? DatabaseError)?.sqlState == .lockNotAvailable
                }
            }
        }
    }

    @Test func `a connection is lost if the server does not react to the cancel request`() async throws {
        let connection = try await Connection.connect(to: try await TestServer.connectionString())
        let backend = pid_t(try await connection.backendPID())
        let task = Task { try await connection.run("select pg_sleep(600)") }
        try await Observer.with { observer in
            try await observer.wait(for: Int(backend), until: "wait_event = 'PgSleep'")
        }
        try #require(Glibc.kill(backend, SIGSTOP) == 0)
        defer { Glibc.kill(backend, SIGCONT) }
        task.cancel()

        #expect(
            await errorKind { _ = try await task.value }
                == .connection(reason: "the server did not react in time", commitUnknown: true))
        #expect(await !connection.isUsable)
    }
}
