import NIOCore

/// Closes a connection whose client does not read its response. The idle timeout does not apply while a response is
/// being sent. Without this handler, a client that reads single bytes at long intervals could keep its connection, and
/// the unsent bytes in memory, forever.
final class SlowReaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let timeout: TimeAmount
    private var deadline: Scheduled<Void>?

    /// - Parameter timeout: each time the unsent bytes exceed the high-water mark of the connection, they must fall
    ///   below its low-water mark (32 KiB) within this time.
    init(timeout: TimeAmount) {
        self.timeout = timeout
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        if !context.channel.isWritable {
            let channel = context.channel
            deadline = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
