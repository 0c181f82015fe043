import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterReminders
import SaunterServer
import SaunterStore

/// Sends what is due now, and ends.
struct Remind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the reminders and mails that wait now, and end.",
        discussion: """
            By mail, Web Push and webhooks. The server does this by itself; this is for cron, and for trying it out. It may run beside a server: nobody \
            gets a message twice.

            Example: SAUNTER_SMTP_URL=smtp://127.0.0.1:1025 saunter remind --once
            """)

    @Flag(help: "Do it once; wanted, because there is no other way.") var once = false
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard once else { throw ValidationError("say --once: a running server reminds by itself") }
    }

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        if settings.smtpURL == nil {
            Terminal.note("\(Setting.smtpURL.variable) is not set: mails wait, other messages go out")
        }
        let (counts, faults) = try await StoreUse(settings: settings, purpose: .command, logger: logger).run {
            store in
            let catalogue = StudyCatalogue(store: store, read: StudyReading.read)
            let step = ReminderStep(
                store: store, catalogue: catalogue,
                channels: try Channels(settings, store.secrets, logger: logger), rule: settings.outward,
                publicURL: settings.publicURL, logger: logger)
            return await ReminderLoop(
                step: step, store: store, catalogue: catalogue, now: Instant.current,
                workers: ReminderLoop.usualWorkers, logger: logger
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
            Terminal.line("nothing waited")
        } else {
            Terminal.line(named.map { "\($0.0): \($0.1)" }.joined(separator: ", "))
        }
    }
}

extension Channels {
    /// Every way by which messages go out by these settings.
    init(_ settings: Settings, _ secrets: StoreSecrets, logger: Logger) throws {
        let caller = OutwardCaller.network(settings.outward, authorities: settings.outwardCA)
        // Push services write to whoever runs the server.
        let isWeb = settings.publicURL.hasPrefix("https://")
        self.init(
            mail: try Channel(settings, logger: logger),
            push: PushSender(
                key: VAPIDKey(secrets), contact: isWeb ? settings.publicURL : "mailto:\(settings.mailFrom)",
                caller: caller, logger: logger),
            webhook: WebhookSender(caller: caller, logger: logger))
    }
}

extension Channel {
    /// How mail goes out by these settings; nil where no server is named.
    init?(_ settings: Settings, logger: Logger) throws {
        guard let url = settings.smtpURL else { return nil }
        self = .mail(through: try MailServer(url: url), from: settings.mailFrom, logger: logger)
    }
}
