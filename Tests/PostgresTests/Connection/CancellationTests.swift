import Glibc
import Postgres
import Testing

@Suite("Cancellation and time-outs") struct CancellationTests {
    /// Cancels a task as soon as its backend is seen to sleep.
    func cancelAsleep(_ task: Task<some Sendable, any Error>, _ backend: Int) async throws {
        try await Observer.with { observer in
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `cancelling a task cancels its statement, and the connection stays usable`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            let task = Task { try await connection.run("select pg_sleep(600)") }
            try await cancelAsleep(task, backend)
            #expect(await kind { _ = try await task.value } == .cancelled)
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `a task that is cancelled already sends nothing`() async throws {
        try await TestServer.withConnection { connection in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await connection.execute(script: "create temp table t ()")
            }
            #expect(await kind { _ = try await task.value } == .cancelled)
            let outcome: Bool = try await connection.value("select to_regclass('t') is null as value")
            #expect(outcome == true)
        }
    }

    @Test func `a cancelled transaction is rolled back`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            try await connection.execute(script: "create temp table t (n int)")
            let task = Task {
                try await connection.transaction { transaction in
                    try await transaction.run("insert into t values (1)")
                    try await transaction.run("select pg_sleep(600)")
                }
            }
            try await cancelAsleep(task, backend)
            #expect(await kind { try await task.value } == .cancelled)
            #expect(try await connection.value("select count(*) as value from t") == 0)
        }
    }

    @Test func `whatever runs can be cancelled from outside, and nothing later is hit`() async throws {
        try await TestServer.withConnection { connection in
            let backend = try await connection.backend()
            for _ in 1...20 {
                let task = Task { try await connection.run("select pg_sleep(600)") }
                try await Observer.with { observer in
                    try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
                }
                connection.cancel()
                #expect(await kind { _ = try await task.value } == .cancelled)
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
            let backend = try await connection.backend()
            let sleep = Statement(name: "sleep", sql: "select pg_sleep(600)")
            let task = Task { try await connection.pipeline([(sleep, []), (sleep, [])]) }
            try await cancelAsleep(task, backend)
            #expect(await kind { _ = try await task.value } == .cancelled)
            #expect(try await connection.backend() == backend)
        }
    }

    @Test func `a statement beyond its time is stopped by the server`() async throws {
        // Long enough for the statement after it, which has no more time than the first.
        try await TestServer.withConnection(statementTimeout: .seconds(2)) { connection in
            #expect(await kind { try await connection.run("select pg_sleep(600)") } == .timeout(.statement))
            #expect(await connection.isUsable)
            try await connection.run("select 1")
        }
    }

    @Test func `a statement cancelled by someone else is the server's refusal`() async throws {
        try await TestServer.withConnection(statementTimeout: .seconds(600)) { connection in
            let backend = try await connection.backend()
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

    @Test func `a lock that is not to be had in time says so`() async throws {
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

    @Test func `a server that reacts to nothing loses the connection`() async throws {
        let connection = try await Connection.connect(to: try await TestServer.string())
        let backend = pid_t(try await connection.backend())
        let task = Task { try await connection.run("select pg_sleep(600)") }
        try await Observer.with { observer in
            try await observer.wait(for: Int(backend), until: "wait_event = 'PgSleep'")
        }
        try #require(Glibc.kill(backend, SIGSTOP) == 0)
        defer { Glibc.kill(backend, SIGCONT) }
        task.cancel()

        #expect(
            await kind { _ = try await task.value }
                == .connection(reason: "the server did not react in time", commitUnknown: true))
        #expect(await !connection.isUsable)
    }
}
