import ArgumentParser
import Console
import Foundation
import Logging
import Metrics
import NIOCore
import PrivateCluster
import SaunterCore
import SaunterEvaluation
import SaunterReaders
import SaunterReminders
import SaunterServer
import SaunterStore
import SaunterWeb
import ServiceLifecycle
import UnixSignals

/// Runs the server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Without SAUNTER_DATABASE_URL the server creates and runs a private PostgreSQL in the data directory. On SIGTERM and \
            SIGINT it finishes accepted requests and ends.

            Example: saunter serve --port 9000
            """)

    @Option(help: "Address to listen on.") var host: String?
    @Option(help: "Port to listen on.") var port: String?
    @Option(name: .customLong("public-url"), help: "Where participants reach the server.")
    var publicURL: String?
    @Option(
        name: .customLong("dev-assets"),
        help: "For developers of the web app: read its files from this folder, such as Sources/SaunterWeb.",
        transform: { URL(filePath: $0) })
    var devAssets: URL?
    @OptionGroup var options: SettingsOptions

    func run() async throws {
        ProcessHeap.limitArenas()
        let settings = try options.settings([.host: host, .port: port, .publicURL: publicURL])
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, settings) }
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let logger = Logger(label: "saunter")
        for warning in settings.warnings { logger.warning("\(warning)") }
        if settings.smtpURL == nil {
            logger.notice(
                "\(Setting.smtpURL.variable) is not set: mails about reminders and passwords stay queued")
        }
        try await StoreSession(settings: settings, user: .server, logger: logger).run { store in
            do {
                try await AnswerViews.createMissing(in: store.research)
            } catch {
                logger.warning("the views of answers are incomplete", metadata: ["error": "\(error)"])
            }
            let app = try await SaunterApp(
                configuration: settings.server, store: store, now: Instant.current,
                channels: try Channels(settings, store.secrets, logger: logger),
                additionalRoutes: { try webRoutes($0, files: devAssets) + readerRoutes($0) },
                metrics: { registry.exposition() },
                logger: logger,
                onRunning: { port in
                    logger.notice("ready", metadata: ["url": "\(settings.localURL)", "port": "\(port)"])
                })
            var group = ServiceGroupConfiguration(
                services: [ProcessHeap(), app], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            group.maximumGracefulShutdownDuration = .seconds(30)
            do {
                try await ServiceGroup(configuration: group).run()
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                throw CommandFault(
                    "port \(settings.port) of \(settings.host) is in use: stop the program that uses it, or choose another port with --port"
                )
            } catch let error as IOError {
                throw CommandFault(
                    "\(settings.host):\(settings.port) cannot be used as listening address: \(String(cString: strerror(error.errnoCode))); see --host and --port"
                )
            }
        }
    }
}

extension JSONLogHandler {
    /// A handler that writes to standard error with the level and format of the settings.
    init(label: String, _ settings: Settings) {
        let isText = settings.logFormat == .auto ? Terminal.isTerminal : settings.logFormat == .text
        self.init(label: label, level: settings.logLevel, format: isText ? .text : .json) { line in
            Terminal.write(line, to: .standardError)
        }
    }
}
