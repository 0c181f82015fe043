/// Where a connection's notifications wait for whoever listens.
final class NotificationMailbox: Sendable {
    /// At most so many wait; older ones are dropped, since a listener that far behind looks at the tables
    /// anyhow.
    static let capacity = 4096

    let stream: AsyncThrowingStream<Notification, any Error>
    private let continuation: AsyncThrowingStream<Notification, any Error>.Continuation

    init() {
        (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Notification.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    }

    func deliver(_ notification: Notification) {
        continuation.yield(notification)
    }

    /// Only the first end counts.
    func finish(throwing error: DatabaseError?) {
        continuation.finish(throwing: error)
    }
}
