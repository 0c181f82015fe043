import Postgres
import Testing

/// In each test, the server ends the connection during a different operation.
@Suite("Connection loss") struct ConnectionLossTests {
    /// Runs the block, which is expected to fail because the connection is lost.
    /// - Returns: `commitUnknown` of the connection error. Nil if the block throws another error or none.
    func commitUnknown(_ body: () async throws -> Void) async -> Bool? {
        if case .connection(_, let commitUnknown) = await errorKind(body) { commitUnknown } else { nil }
    }

    /// Opens a connection and an observer, and runs the block with them and the process ID of the connection's
    /// server process. Expects that the connection is unusable afterwards.
    func withObservedConnection(_ body: (Connection, Int, Observer) async throws -> Void) async throws {
        try await Observer.with { observer in
            try await TestServer.withConnection { connection in
                try await body(connection, try await connection.backendPID(), observer)
                #expect(await !connection.isUsable)
            }
        }
    }

    @Test func `a loss while the connection is idle: nothing was sent`() async throws {
        try await withObservedConnection { connection, backend, observer in
            try await observer.terminate(backend)
            #expect(await commitUnknown { try await connection.run("select 1") } == false)
            #expect(await commitUnknown { try await connection.run("select 1") } == false)
        }
    }

    @Test func `a loss during a statement: whether it was committed is unknown`() async throws {
        try await withObservedConnection { connection, backend, observer in
            let task = Task { try await connection.run("select pg_sleep(600)") }
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            let fault = await errorKind { _ = try await task.value }
            guard case .connection(let reason, let commitUnknown) = fault else {
                Issue.record("no connection error: \(String(describing: fault))")
                return
            }
            #expect(commitUnknown)
            #expect(reason.contains("57P01"))
        }
    }

    @Test func `a loss during a statement of a transaction: nothing was committed`() async throws {
        try await withObservedConnection { connection, backend, observer in
            let task = Task { try await connection.transaction { try await $0.run("select pg_sleep(600)") } }
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            #expect(await commitUnknown { _ = try await task.value } == false)
        }
    }

    @Test func `a loss during a pipeline: whether it was committed is unknown`() async throws {
        try await withObservedConnection { connection, backend, observer in
            let one = Statement(name: "one", sql: "select 1")
            let sleep = Statement(name: "sleep", sql: "select pg_sleep(600)")
            let task = Task { try await connection.pipeline([(one, []), (sleep, []), (one, [])]) }
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            #expect(await commitUnknown { _ = try await task.value } == true)
        }
    }

    @Test func `a loss between the statements of a transaction: nothing was committed`() async throws {
        try await withObservedConnection { connection, backend, observer in
            #expect(
                await commitUnknown {
                    try await connection.transaction { transaction in
                        try await transaction.run("select 1")
                        try await observer.terminate(backend)
                        try await transaction.run("select 2")
                    }
                } == false)
        }
    }

    @Test func `a loss before the commit: nothing was committed`() async throws {
        try await withObservedConnection { connection, backend, observer in
            #expect(
                await commitUnknown {
                    try await connection.transaction { transaction in
                        try await transaction.run("select 1")
                        try await observer.terminate(backend)
                    }
                } == false)
        }
    }

    @Test func `a loss during the commit: whether it was committed is unknown`() async throws {
        try await withObservedConnection { connection, backend, observer in
            try await connection.execute(
                script: """
                    create temp table t (n int);
                    create function pg_temp.sleep() returns trigger language plpgsql as
                        'begin perform pg_sleep(600); return null; end';
                    create constraint trigger sleep after insert on t deferrable initially deferred
                        for each row execute function pg_temp.sleep()
                    """)
            let task = Task {
                try await connection.transaction { try await $0.run("insert into t values (1)") }
            }
            try await observer.wait(for: backend, until: "query = 'COMMIT' and wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            #expect(await commitUnknown { _ = try await task.value } == true)
        }
    }

    @Test func `a loss during a COPY out: nothing was committed`() async throws {
        try await withObservedConnection { connection, backend, observer in
            var chunkCount = 0
            let isCommitUnknown = await commitUnknown {
                try await connection.copyOut(
                    "copy (select repeat('x', 1000) from generate_series(1, 1000000)) to stdout"
                ) { _ in
                    chunkCount += 1
                    if chunkCount == 3 { try await observer.terminate(backend) }
                }
            }
            #expect(isCommitUnknown == false)
        }
    }

    @Test func `a loss during a COPY in is reported as a connection error`() async throws {
        try await withObservedConnection { connection, backend, observer in
            try await connection.execute(script: "create temp table t (n int)")
            let rows = AsyncStream<[UInt8]> { continuation in
                for _ in 1...3 { continuation.yield(Array("1\n2\n".utf8)) }
                continuation.finish()
            }
            let source = rows.map { chunk in
                try await observer.connection.run(
                    "select pg_terminate_backend($1, 20000)", .int4(Int32(backend)))
                return chunk
            }
            #expect(
                await commitUnknown { try await connection.copyIn("copy t from stdin", from: source) } != nil)
        }
    }
}
