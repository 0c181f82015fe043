import Logging
import SaunterCohort
import SaunterReaders
import SaunterReminders
import SaunterServer
import SaunterStore
import ServiceLifecycle

/// A server inside the process of a command, with a simulated clock and a free port on 127.0.0.1.
struct EmbeddedServer {
    let settings: Settings
    let store: Store
    let logger: Logger

    /// Runs the body when the server accepts requests, and stops the server afterwards.
    func run(
        clock: SimulatedClock, dataDirectory: String? = nil, _ body: (ServerClient) async throws -> Void
    ) async throws {
        var configuration = settings.server
        configuration.host = "127.0.0.1"
        configuration.port = 0
        if let dataDirectory { configuration.dataDirectory = dataDirectory }
        let (ports, opened) = AsyncStream<Int>.makeStream()
        let app = try await SaunterApp(
            configuration: configuration, store: store, now: clock.now, channels: Channels(),
            additionalRoutes: readerRoutes, metrics: { "" },
            logger: logger, onRunning: { opened.yield($0) })
        let group = ServiceGroup(configuration: .init(services: [app], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { opened.finish() }
                try await group.run()
            }
            for await port in ports {
                try await body(ServerClient(url: "http://127.0.0.1:\(port)"))
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
