import Postgres
import Testing

/// The server ends the connection at each step of what a connection can be doing.
@Suite("Loss of the connection") struct LossTests {
    /// Whether the block fails with a lost connection, and what it says of the commit; nil when it fails
    /// otherwise.
    func loss(_ body: () async throws -> Void) async -> Bool? {
        if case .connection(_, let commitUnknown) = await kind(body) { commitUnknown } else { nil }
    }

    func withVictim(_ body: (Connection, Int, Observer) async throws -> Void) async throws {
        try await Observer.with { observer in
            try await TestServer.withConnection { connection in
                try await body(connection, try await connection.backend(), observer)
                #expect(await !connection.isUsable)
            }
        }
    }

    @Test func `while idle: nothing was sent`() async throws {
        try await withVictim { connection, backend, observer in
            try await observer.terminate(backend)
            #expect(await loss { try await connection.run("select 1") } == false)
            #expect(await loss { try await connection.run("select 1") } == false)
        }
    }

    @Test func `amid a statement: it may have been committed`() async throws {
        try await withVictim { connection, backend, observer in
            let task = Task { try await connection.run("select pg_sleep(600)") }
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            let fault = await kind { _ = try await task.value }
            guard case .connection(let reason, let commitUnknown) = fault else {
                Issue.record("no loss: \(String(describing: fault))")
                return
            }
            #expect(commitUnknown)
            #expect(reason.contains("57P01"))
        }
    }

    @Test func `amid a statement of a transaction: nothing was committed`() async throws {
        try await withVictim { connection, backend, observer in
            let task = Task { try await connection.transaction { try await $0.run("select pg_sleep(600)") } }
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            #expect(await loss { _ = try await task.value } == false)
        }
    }

    @Test func `amid a pipeline: it may have been committed`() async throws {
        try await withVictim { connection, backend, observer in
            let one = Statement(name: "one", sql: "select 1")
            let sleep = Statement(name: "sleep", sql: "select pg_sleep(600)")
            let task = Task { try await connection.pipeline([(one, []), (sleep, []), (one, [])]) }
            try await observer.wait(for: backend, until: "wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            #expect(await loss { _ = try await task.value } == true)
        }
    }

    @Test func `between the statements of a transaction`() async throws {
        try await withVictim { connection, backend, observer in
            #expect(
                await loss {
                    try await connection.transaction { transaction in
                        try await transaction.run("select 1")
                        try await observer.terminate(backend)
                        try await transaction.run("select 2")
                    }
                } == false)
        }
    }

    @Test func `before the commit: nothing was committed`() async throws {
        try await withVictim { connection, backend, observer in
            #expect(
                await loss {
                    try await connection.transaction { transaction in
                        try await transaction.run("select 1")
                        try await observer.terminate(backend)
                    }
                } == false)
        }
    }

    @Test func `during the commit: it may have been committed`() async throws {
        try await withVictim { connection, backend, observer in
            try await connection.execute(
                script: """
                    create temp table t (n int);
                    create function pg_temp.dawdle() returns trigger language plpgsql as
                        'begin perform pg_sleep(600); return null; end';
                    create constraint trigger dawdle after insert on t deferrable initially deferred
                        for each row execute function pg_temp.dawdle()
                    """)
            let task = Task {
                try await connection.transaction { try await $0.run("insert into t values (1)") }
            }
            try await observer.wait(for: backend, until: "query = 'COMMIT' and wait_event = 'PgSleep'")
            try await observer.terminate(backend)
            #expect(await loss { _ = try await task.value } == true)
        }
    }

    @Test func `amid a COPY out`() async throws {
        try await withVictim { connection, backend, observer in
            var pieces = 0
            let lost = await loss {
                try await connection.copyOut(
                    "copy (select repeat('x', 1000) from generate_series(1, 1000000)) to stdout"
                ) { _ in
                    pieces += 1
                    if pieces == 3 { try await observer.terminate(backend) }
                }
            }
            #expect(lost == false)
        }
    }

    @Test func `amid a COPY in`() async throws {
        try await withVictim { connection, backend, observer in
            try await connection.execute(script: "create temp table t (n int)")
            let rows = AsyncStream<[UInt8]> { continuation in
                for _ in 1...3 { continuation.yield(Array("1\n2\n".utf8)) }
                continuation.finish()
            }
            let source = rows.map { piece in
                try await observer.connection.run(
                    "select pg_terminate_backend($1, 20000)", .int4(Int32(backend)))
                return piece
            }
            #expect(await loss { try await connection.copyIn("copy t from stdin", from: source) } != nil)
        }
    }
}
