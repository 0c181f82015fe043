/// A NOTIFY that arrived on a channel this connection listens to.
package struct Notification: Sendable, Hashable {
    /// The channel, as it was named to `notifications(on:)`.
    package let channel: String
    /// What the sender gave; empty when nothing.
    package let payload: String

    /// A notification as it would arrive.
    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
