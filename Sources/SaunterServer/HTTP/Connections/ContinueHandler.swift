import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`, RFC 9110 section 10.1.1). curl waits one
/// second with each body of 1 MB or more if the server does not send it.
///
/// The gateway asks for it after it has checked the route, the token and `Content-Length`. So a body that would be
/// rejected is not sent at all.
final class ContinueHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The event by which the gateway asks for `100 Continue`.
    struct SendContinue: Sendable {}

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is SendContinue else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }
}
