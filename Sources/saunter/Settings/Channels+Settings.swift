import Logging
import SaunterCore
import SaunterReminders
import SaunterServer
import SaunterStore

extension Channels {
    /// The channels that these settings configure.
    init(_ settings: Settings, _ secrets: StoreSecrets, logger: Logger) throws {
        let client = OutboundClient.network(settings.outboundPolicy, caFile: settings.outboundCA)
        let isHTTPS = settings.publicURL.hasPrefix("https://")
        self.init(
            mail: try MailChannel(settings, logger: logger),
            push: PushSender(
                key: VAPIDKey(secrets),
                // Push services contact the operator of the server at this address.
                contact: isHTTPS ? settings.publicURL : "mailto:\(settings.mailFrom)",
                client: client, logger: logger),
            webhook: WebhookSender(client: client, logger: logger))
    }
}

extension MailChannel {
    /// The mail channel of these settings; nil if no mail server is set.
    init?(_ settings: Settings, logger: Logger) throws {
        guard let url = settings.smtpURL else { return nil }
        self = .smtp(through: try MailServer(url: url.revealed), from: settings.mailFrom, logger: logger)
    }
}
