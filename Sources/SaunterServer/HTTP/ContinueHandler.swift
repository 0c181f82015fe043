import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells a client that waits for it (`Expect: 100-continue`, RFC 9110 section 10.1.1) to send its body: curl does for bodies from 1 MB on, and
/// loses a second on each walk without this.
///
/// It does so when the gateway has looked at the route, the token and the announced length, so that a body which would be refused never
/// crosses a poor connection.
final class ContinueHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Sent down the pipeline by the gateway.
    struct Invitation: Sendable {}

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Invitation else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }
}
