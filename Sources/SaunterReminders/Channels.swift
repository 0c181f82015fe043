/// The configured channels.
package struct Channels: Sendable {
    /// Nil if mail is not configured. Then messages to participants with mail as their only channel wait.
    package var mail: MailChannel?
    /// Nil if Web Push is not configured.
    package var push: PushSender?
    /// Nil if webhooks are not configured.
    package var webhook: WebhookSender?

    /// Creates channels; by default none is configured.
    package init(mail: MailChannel? = nil, push: PushSender? = nil, webhook: WebhookSender? = nil) {
        self.mail = mail
        self.push = push
        self.webhook = webhook
    }

    /// Whether no channel is configured, so that no message can be sent.
    package var isEmpty: Bool { mail == nil && push == nil && webhook == nil }
}
