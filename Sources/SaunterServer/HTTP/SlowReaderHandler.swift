import NIOCore

/// Closes a connection whose other end takes nothing of a reply for a while: idle time-outs rest while a reply is under way, so a client that
/// reads one byte now and then would hold its connection, and what waits to be sent to it, for ever.
final class SlowReaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let patience: TimeAmount
    private var deadline: Scheduled<Void>?

    /// - Parameter patience: in which what waits must fall below the socket's low-water mark (32 KiB), over and over.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        if !context.channel.isWritable {
            let channel = context.channel
            deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
