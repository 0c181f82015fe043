import Logging
import Postgres
import Testing

@Suite("Notifications") struct NotificationTests {
    @Test func `what is notified arrives, also while nothing is asked`() async throws {
        try await Observer.with { observer in
            try await TestServer.withConnection { connection in
                let stream = try await connection.notifications(on: ["plain_1", "Odd \"channel\""])
                try await observer.connection.run(
                    "select pg_notify('plain_1', 'a'), pg_notify('Odd \"channel\"', 'ü')")
                var arrived: [Notification] = []
                for try await notification in stream {
                    arrived.append(notification)
                    if arrived.count == 2 { break }
                }
                #expect(
                    arrived == [
                        Notification(channel: "plain_1", payload: "a"),
                        Notification(channel: "Odd \"channel\"", payload: "ü"),
                    ])
            }
        }
    }

    @Test func `what arrives with the answer to a query is not lost`() async throws {
        try await TestServer.withConnection { connection in
            let stream = try await connection.notifications(on: ["own_channel"])
            try await connection.run("select pg_notify('own_channel', 'self')")
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next()?.payload == "self")
        }
    }

    @Test func `closing ends the sequence, losing the connection fails it`() async throws {
        let connection = try await Connection.connect(
            to: try await TestServer.string(), logger: Logger.silent)
        let stream = try await connection.notifications(on: ["ending"])
        await connection.close()
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == nil)

        try await Observer.with { observer in
            let victim = try await Connection.connect(
                to: try await TestServer.string(), logger: Logger.silent)
            let stream = try await victim.notifications(on: ["ending"])
            try await observer.terminate(try await victim.backend())
            guard case .connection = await kind({ for try await _ in stream {} }) else {
                Issue.record("no loss reported")
                return
            }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 64), "a\0b"])
    func `a channel that PostgreSQL would cut is refused`(channel: String) async throws {
        try await TestServer.withConnection { connection in
            guard case .encoding = await kind({ _ = try await connection.notifications(on: [channel]) })
            else {
                Issue.record("accepted")
                return
            }
            try await connection.run("select 1")
        }
    }

    @Test func `a listener connects again and says so`() async throws {
        try await TestServer.withDatabase { string in
            try await TestServer.withPool(size: 1, string: string) { pool in
                let listener = Listener(
                    connectionString: string, channels: ["news"], pause: .milliseconds(10),
                    logger: Logger.silent)
                var events: [Listener.Event] = []
                struct Enough: Error {}
                await #expect(throws: Enough.self) {
                    try await listener.run { event in
                        events.append(event)
                        switch events.count {
                        case 1: try await pool.run("select pg_notify('news', '1')")
                        case 2:
                            try await pool.run(
                                """
                                select pg_terminate_backend(pid) from pg_stat_activity
                                where datname = current_database() and pid <> pg_backend_pid()
                                """)
                        case 3: try await pool.run("select pg_notify('news', '2')")
                        default: throw Enough()
                        }
                    }
                }
                #expect(
                    events == [
                        .listening, .notified(Notification(channel: "news", payload: "1")), .listening,
                        .notified(Notification(channel: "news", payload: "2")),
                    ])
            }
        }
    }

    @Test func `a listener ends with its task`() async throws {
        let string = try await TestServer.string()
        let started = AsyncStream<Void>.makeStream()
        let task = Task {
            try await Listener(connectionString: string, channels: ["quiet"]).run { _ in
                started.continuation.finish()
            }
        }
        for await _ in started.stream {}
        task.cancel()
        try await task.value
    }
}
