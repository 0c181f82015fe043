import Hummingbird
import HummingbirdCore
import Logging
import SaunterCore
import SaunterPacks
import SaunterReminders
import SaunterStore
import ServiceLifecycle

/// The complete server. The caller passes the clock, the store and the message channels, so that tests and simulations
/// run the same server.
package struct SaunterApp: Service, CustomStringConvertible {
    /// Answers the requests.
    package let gateway: Gateway
    private let configuration: ServerConfiguration
    private let services: [any Service]
    private let onRunning: @Sendable (_ port: Int) async -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - now: the only clock.
    ///   - channels: the channels that deliver messages. If there are none, messages stay queued.
    ///   - additionalRoutes: routes of other targets, such as `readerRoutes`; they follow the routes of the API.
    ///   - metrics: returns the text of `/metrics`.
    ///   - onRunning: called with the port when the server accepts requests.
    /// - Throws: `RouteFault` if the routes contradict each other, errors of `additionalRoutes`, and an error of a
    ///   certificate of the app store.
    package init(
        configuration: ServerConfiguration, store: Store, now: @escaping @Sendable () -> Instant,
        channels: Channels, additionalRoutes: @Sendable (ServerContext) throws -> [Route],
        metrics: @escaping @Sendable () -> String, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) async throws {
        self.configuration = configuration
        self.onRunning = onRunning
        self.logger = logger
        let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
        let revocations = RevocationList(store: store, now: now, logger: logger)
        let audit = HourlyAudit(store: store, logger: logger)
        let keys = KeyRing(store: store, issuer: configuration.publicURL)
        let sessions = WebSessions(store: store, keys: keys, revocations: revocations)
        let accounts = AccountService(
            store: store, keys: keys, revocations: revocations,
            passwords: try PasswordHasher(), audit: audit)
        let ingest = IngestQueue(store: store, logger: logger)
        let exports = ExportService(
            store: store, ingest: ingest, dataDirectory: configuration.dataDirectory, now: now, logger: logger
        )
        let context = ServerContext(
            store: store, catalogue: catalogue,
            content: ContentCatalogue(store: store, read: PublishedStudyReader.readLibrary), ingest: ingest,
            sheetContexts: SheetContextLoader(store: store, logger: logger),
            enrolments: EnrolmentLoader(store: store, logger: logger),
            participantStates: ParticipantStateLoader(store: store, logger: logger),
            variableFacts: VariableFactsLoader(store: store, catalogue: catalogue, logger: logger),
            memberships: MembershipCache(store: store), accounts: accounts, sessions: sessions, audit: audit,
            exports: exports, work: HeavyWorkQueue(), live: LiveFeed(store: store, logger: logger), now: now,
            pushKey: VAPIDKey(store.secrets).publicKey,
            appStore: try configuration.appStore.map(AppStoreVerifier.init), configuration: configuration)
        let step =
            channels.isEmpty
            ? nil
            : ReminderStep(
                store: store, catalogue: catalogue, channels: channels,
                outboundPolicy: configuration.outboundPolicy,
                publicURL: configuration.publicURL, logger: logger)
        let operation = OperationRoutes(
            checks: [Self.databaseCheck(store), .freeDiskSpace(at: configuration.dataDirectory)],
            metrics: metrics)
        let routes = ReferenceRoutes.adding(
            to: try (apiRoutes(context) + additionalRoutes(context)).map { $0.audited(by: audit) }
                + operation.routes,
            version: configuration.version,
            publicURL: configuration.publicURL)
        await revocations.refresh()
        gateway = try Gateway(
            routes: routes,
            settings: GatewaySettings(
                publicURL: configuration.publicURL,
                proxies: configuration.trustedProxies,
                metricsToken: configuration.metricsToken), now: now, sessions: sessions
        ) { token, kind, now in
            try await accounts.authenticate(token, for: kind, now: now)
        }
        services = [
            revocations, exports,
            RescoringLoop(store: store, catalogue: catalogue, now: now, logger: logger),
            EditLoop(context: context, now: now, logger: logger),
            ReminderLoop(
                step: step,
                rules: context.rules,
                store: store, catalogue: catalogue, now: now,
                workers: ReminderLoop.productionWorkers, logger: logger),
        ]
    }

    /// The name in logs.
    package var description: String { "SaunterApp" }

    /// Serves requests until the shutdown. Then completes the accepted requests.
    package func run() async throws {
        let application = Application(
            responder: gateway,
            server: HTTPServerLimits.http1(publicURL: configuration.publicURL, logger: logger),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    ConnectionLimit.raise(), logger: logger)),
            services: services,
            onServerRunning: { [onRunning] channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        try await application.run()
    }

    private static func databaseCheck(_ store: Store) -> ReadinessCheck {
        ReadinessCheck("database") {
            do {
                try await store.ping()
                return nil
            } catch {
                return "the database does not answer"
            }
        }
    }
}
