import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCore
import SaunterReminders
import SaunterServer
import SaunterStore

/// Sends the messages that are due now, and ends.
struct Remind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the messages that are due now, and end.",
        discussion: """
            Sends by mail, Web Push and webhooks. The server does this by itself; use this command with cron, or for a test. It can \
            run while a server runs: no message is sent twice.

            Example: SAUNTER_SMTP_URL=smtp://127.0.0.1:1025 saunter remind --once
            """)

    @Flag(help: "Send once and end; required, because a server sends continuously.") var once = false
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard once else { throw ValidationError("use --once: a running server sends reminders by itself") }
    }

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        if settings.smtpURL == nil {
            Terminal.note(
                "\(Setting.smtpURL.variable) is not set: mails stay queued, other messages are sent")
        }
        let (counts, faults) = try await StoreSession(settings: settings, user: .command, logger: logger)
            .run {
                store in
                let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
                let step = ReminderStep(
                    store: store, catalogue: catalogue,
                    channels: try Channels(settings, store.secrets, logger: logger),
                    outboundPolicy: settings.outboundPolicy, publicURL: settings.publicURL, logger: logger)
                return await ReminderLoop(
                    step: step,
                    rules: RuleStep(
                        store: store, catalogue: catalogue,
                        content: ContentCatalogue(store: store, read: PublishedStudyReader.readLibrary),
                        publicURL: settings.publicURL),
                    store: store, catalogue: catalogue, now: Instant.current,
                    workers: ReminderLoop.productionWorkers, logger: logger
                ).drain()
            }
        show(counts)
        guard faults == 0, counts[.failed, default: 0] == 0, counts[.unreachable, default: 0] == 0 else {
            throw ExitCode.failure
        }
    }

    private func show(_ counts: [ReminderStep.Result: Int]) {
        let named = counts.map { ("\($0.key)", $0.value) }.sorted { $0.0 < $1.0 }
        if json {
            Terminal.line(JSON.object(JSONObject(named.map { .init(name: $0.0, value: .int($0.1)) })).text)
        } else if named.isEmpty {
            Terminal.line("no message was due")
        } else {
            Terminal.line(named.map { "\($0.0): \($0.1)" }.joined(separator: ", "))
        }
    }
}
