import Logging

/// Listens on channels for as long as its task runs, over a connection of its own that is replaced when it
/// breaks.
package struct Listener: Sendable {
    /// What a listener learns.
    package enum Event: Sendable, Hashable {
        /// Listening begins, or begins anew after notifications may have been missed: look at the tables.
        case listening
        case notified(Notification)
    }

    private let connectionString: ConnectionString
    private let channels: [String]
    private let pause: Duration
    private let logger: Logger

    /// `pause` is how long to wait before connecting again.
    package init(
        connectionString: ConnectionString, channels: [String], pause: Duration = .seconds(1),
        logger: Logger = Logger(label: "postgres")
    ) {
        self.connectionString = connectionString
        self.channels = channels
        self.pause = pause
        self.logger = logger
    }

    /// Calls `handle` for each event, one after another. Returns when the task is cancelled; throws only what
    /// `handle` throws.
    package nonisolated(nonsending) func run(
        _ handle: nonisolated(nonsending) (Event) async throws -> Void
    ) async throws {
        while !Task.isCancelled {
            let stream: AsyncThrowingStream<Notification, any Error>
            let connection: Connection
            do throws(DatabaseError) {
                connection = try await Connection.connect(to: connectionString, logger: logger)
                stream = try await connection.notifications(on: channels)
            } catch {
                logger.warning("cannot listen to the database", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: pause)
                continue
            }
            do {
                try await handle(.listening)
                try await pass(stream, to: handle)
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        }
    }

    /// Until the task is cancelled or the connection is lost, which the connection itself logs.
    private nonisolated(nonsending) func pass(
        _ stream: AsyncThrowingStream<Notification, any Error>,
        to handle: nonisolated(nonsending) (Event) async throws -> Void
    ) async throws {
        var iterator = stream.makeAsyncIterator()
        while true {
            let next: Notification?
            do { next = try await iterator.next() } catch { return }
            guard let next else { return }
            try await handle(.notified(next))
        }
    }
}
