import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Postgres
import SaunterCore
import SaunterReaders
import SaunterReminders
import SaunterTesting
import ServiceLifecycle
import Synchronization
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// Searches the log of a complete server for the secrets that it holds, and for those that its callers send.
@Suite struct SecretLogTests {
    private static let smtpPassword = "canary-smtp-password"
    private static let databasePassword = "canary-database-password"
    private static let metricsToken = "canary-metrics-token"
    private static let master = [UInt8](repeating: 201, count: 32)
    private static let canaries = ["canary", "201, 201", "c9c9c9"]

    /// Collects the lines of all levels.
    private final class Log: Sendable {
        private let lines = Mutex("")

        var text: String { lines.withLock { $0 } }

        func logger() -> Logger {
            var logger = Logger(label: "saunter") { [self] label in
                JSONLogHandler(label: label, level: .trace, format: .json) { line in
                    self.lines.withLock { $0 += line }
                }
            }
            logger.logLevel = .trace
            return logger
        }
    }

    private static func withApp(
        _ log: Log, onRunning: @escaping @Sendable () async -> Void = {},
        _ body: (SaunterApp, Store) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "secret-log-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString).setting("password", to: databasePassword)
        let logger = log.logger()
        try await Migrations.apply(to: url, logger: logger)
        let store = Store(url, secrets: StoreSecrets(master: master), logger: logger)
        let mailServer = try MailServer(url: "smtp://mailer:\(smtpPassword)@127.0.0.1:1")
        let client = OutboundClient.network(OutboundPolicy(), caFile: nil)
        let app = try await SaunterApp(
            configuration: ServerConfiguration(
                host: "127.0.0.1", port: 0, publicURL: "https://s.example",
                dataDirectory: folder.path(percentEncoded: false),
                metricsToken: Secret(metricsToken)),
            store: store, now: JSONLogHandler.systemTime,
            channels: Channels(
                mail: .smtp(through: mailServer, from: "study@example.org", logger: logger),
                push: PushSender(
                    key: VAPIDKey(store.secrets), contact: "mailto:study@example.org", client: client,
                    logger: logger),
                webhook: WebhookSender(client: client, logger: logger)),
            additionalRoutes: readerRoutes, metrics: { "" }, logger: logger,
            onRunning: { _ in await onRunning() }
        )
        try await body(app, store)
        await store.close()
        try await database.drop()
        try FileManager.default.removeItem(at: folder)
    }

    private static func expectNoCanary(_ text: String) {
        for canary in canaries { #expect(!text.contains(canary), "\(canary)") }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that starts, runs and stops writes no secret to the log`() async throws {
        let log = Log()
        let (running, isRunning) = AsyncStream.makeStream(of: Void.self)

        try await Self.withApp(log, onRunning: { isRunning.finish() }) { app, _ in
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: [app], logger: log.logger()))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                for await _ in running {}
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }

        // At level debug the service lifecycle writes each service with all its properties.
        #expect(log.text.contains("SaunterApp"))
        #expect(log.text.contains("ReminderLoop"))
        Self.expectNoCanary(log.text)
    }

    @Test func `the text forms of a server contain no secret`() async throws {
        try await Self.withApp(Log()) { app, store in
            var dumped = ""
            dump(store.secrets, to: &dumped)
            dump(try MailServer(url: "smtp://mailer:\(Self.smtpPassword)@127.0.0.1:1"), to: &dumped)

            Self.expectNoCanary("\(app) \(store) \(dumped)")
            Self.expectNoCanary(String(reflecting: app) + String(reflecting: store))
        }
    }

    @Test func `a request writes none of its secrets to the log`() async throws {
        let log = Log()

        try await Self.withApp(log) { app, _ in
            let application = Application(responder: app.gateway, logger: log.logger())
            try await application.test(.router) { client async throws in
                for (method, path, body): (HTTPRequest.Method, String, String?) in [
                    (.post, "/v1/tokens", #"{"email": "canary@example.org", "password": "canary-password"}"#),
                    (
                        .post, "/v1/accounts",
                        #"{"email": "canary@example.org", "password": "canary-password", "display_name": "canary"}"#
                    ),
                    (.post, "/v1/tokens", #"{"email": "canary@example.org", "password": "canary-password"}"#),
                    (.post, "/v1/tokens", #"{"email": "canary@example.org", "password": 1}"#),
                    (.post, "/v1/tokens", #"{"email": "canary@example.org", "password": "canary"#),
                    (.post, "/v1/tokens/refresh", #"{"refresh_token": "canary-refresh-token"}"#),
                    (.post, "/v1/password-resets", #"{"email": "canary@example.org"}"#),
                    (.put, "/v1/password-resets/canary-code", #"{"password": "canary-password"}"#),
                    (.get, "/v1/account", nil), (.get, "/metrics", nil), (.get, "/v1/canary", nil),
                ] {
                    let answer = try await client.send(method, path, body, token: "canary-token")
                    #expect(answer.status < 500)
                }
                #expect(try await client.send(.get, "/metrics", token: Self.metricsToken).status == 200)
            }
        }

        Self.expectNoCanary(log.text)
    }
}
