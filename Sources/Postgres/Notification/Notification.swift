/// A NOTIFY that arrived on a channel this connection listens to.
package struct Notification: Sendable, Hashable {
    package let channel: String
    package let payload: String

    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
