import Hummingbird
import HummingbirdCore
import Logging
import SaunterCore
import SaunterPacks
import SaunterReminders
import SaunterStore
import ServiceLifecycle

/// The whole server, put together. Everything that it does not make itself (clock, store, mail channel) is given, so that tests and the simulated
/// cohort run the very same thing.
package struct SaunterApp: Service {
    package let gateway: Gateway
    private let configuration: ServerConfiguration
    private let services: [any Service]
    private let onRunning: @Sendable (_ port: Int) async -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - now: the only clock.
    ///   - channels: how messages go out; without any they wait.
    ///   - metrics: the text of /metrics.
    ///   - witness: sees every exchange; for the test of the published contract.
    ///   - onRunning: called with the port once requests are taken.
    package init(
        configuration: ServerConfiguration, store: Store, now: @escaping @Sendable () -> Instant,
        channels: Channels,
        metrics: @escaping @Sendable () -> String, logger: Logger, witness: Gateway.Witness? = nil,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) async throws {
        self.configuration = configuration
        self.onRunning = onRunning
        self.logger = logger
        let catalogue = StudyCatalogue(store: store, read: StudyReading.read)
        let revocations = RevocationList(store: store, now: now, logger: logger)
        let accounts = AccountDesk(
            store: store, keys: KeyRing(store: store, issuer: configuration.publicURL),
            revocations: revocations,
            passwords: try PasswordHashing())
        let ingest = IngestQueue(store: store, logger: logger)
        let exports = ExportDesk(
            store: store, ingest: ingest, dataDirectory: configuration.dataDirectory, now: now, logger: logger
        )
        let context = ServerContext(
            store: store, catalogue: catalogue, ingest: ingest,
            sheetContexts: SheetContexts(store: store, logger: logger),
            participations: Participations(store: store, logger: logger),
            memberships: MembershipCache(store: store), accounts: accounts, exports: exports,
            readings: try ReadingDesk(store: store, dataDirectory: configuration.dataDirectory),
            pushKey: VAPIDKey(store.secrets).publicKey, configuration: configuration)
        let step =
            channels.isEmpty
            ? nil
            : ReminderStep(
                store: store, catalogue: catalogue, channels: channels, rule: configuration.outward,
                publicURL: configuration.publicURL, logger: logger)
        let operation = OperationRoutes(
            checks: [Self.databaseCheck(store), .diskRoom(at: configuration.dataDirectory)], metrics: metrics)
        let routes = try ReferenceRoutes.adding(
            to: apiRoutes(context) + operation.routes, version: configuration.version,
            publicURL: configuration.publicURL)
        await revocations.refresh()
        gateway = try Gateway(
            routes: routes,
            settings: GatewaySettings(
                publicURL: configuration.publicURL,
                proxies: configuration.trustedProxies,
                metricsToken: configuration.metricsToken), now: now, witness: witness
        ) { token, kind, now in
            try await accounts.identity(of: token, for: kind, now: now)
        }
        services = [
            revocations, exports,
            RescoringLoop(store: store, catalogue: catalogue, now: now, logger: logger),
            AmendmentLoop(context: context, now: now, logger: logger),
            ReminderLoop(
                step: step, store: store, catalogue: catalogue, now: now,
                workers: ReminderLoop.usualWorkers, logger: logger),
        ]
    }

    /// Serves until it is told to stop; then finishes what it has accepted.
    package func run() async throws {
        let application = Application(
            responder: gateway, server: ServerShape.http1(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    ConnectionBound.claim(), logger: logger)),
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
