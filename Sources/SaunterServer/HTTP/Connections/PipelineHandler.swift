import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Passes on the requests of a connection one at a time. A client may send further requests before it reads a response
/// (pipelining, RFC 9112 section 9.3.2). Such a request waits here until the kernel has all bytes of the response
/// before it, and the server reads no more from the connection until then. So a client that reads nothing occupies the
/// memory of one response, not of one response for each of its requests.
///
/// If the parser cannot read a request, this handler sends the problem document, because the gateway gets no request.
final class PipelineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The event by which the gateway asks to be called when the client closes the connection or its side of it, until
    /// the response to the current request is sent.
    struct OnInputClosed: Sendable {
        let action: @Sendable () -> Void

        init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    }

    private enum Event {
        case part(HTTPRequestPart)
        case unreadable(HTTPParserError)
        case inputClosed
    }

    /// One read from the socket can contain thousands of short requests. The server answers the first of them, and then
    /// closes the connection. RFC 9112 section 9.3.2 recommends that a client sends the others again.
    private static let maximumWaitingEvents = 1000

    private let publicURL: String
    private let logger: Logger
    private var waiting = CircularBuffer<Event>()
    /// Whether a request was passed on and its response is not sent completely.
    private var isAnswering = false
    /// Whether the end of the request that was passed on has not arrived yet.
    private var isReadingBody = false
    /// Whether a read is delayed: the next handlers asked for more parts.
    private var isReadDelayed = false
    /// Whether the client has closed the connection or its side of it.
    private var isInputClosed = false
    private var onInputClosed: OnInputClosed?
    /// Whether everything that still arrives is ignored. The connection is then closed after the last response.
    private var ignoresInput = false

    /// - Parameter publicURL: the addresses of problem types begin with it.
    init(publicURL: String, logger: Logger) {
        self.publicURL = publicURL
        self.logger = logger
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        add(.part(unwrapInboundIn(data)), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            // After an error, the parser reports further bytes as errors of another type.
            if !ignoresInput { context.fireErrorCaught(error) }
            return
        }
        add(.unreadable(error), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        reportInputClosed()
        add(.inputClosed, context)
    }

    func read(context: ChannelHandlerContext) {
        guard waiting.isEmpty else {
            isReadDelayed = true
            return
        }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        reportInputClosed()
        ignoresInput = true
        waiting.removeAll()
        context.fireChannelInactive()
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard let event = event as? OnInputClosed else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        if isInputClosed { event.action() } else { onInputClosed = event }
    }

    private func reportInputClosed() {
        isInputClosed = true
        onInputClosed?.action()
        onInputClosed = nil
    }

    private func add(_ event: Event, _ context: ChannelHandlerContext) {
        guard !ignoresInput else { return }
        if waiting.isEmpty, !mustWait(event) { return pass(event, context) }
        ignoresInput = waiting.count >= Self.maximumWaitingEvents
        waiting.append(ignoresInput ? .inputClosed : event)
    }

    private func mustWait(_ event: Event) -> Bool {
        switch event {
        case .part(.head): isAnswering
        case .unreadable: isAnswering && !isReadingBody
        case .part(.body), .part(.end), .inputClosed: false
        }
    }

    private func pass(_ event: Event, _ context: ChannelHandlerContext) {
        switch event {
        case .part(let part):
            switch part {
            case .head: (isAnswering, isReadingBody) = (true, true)
            case .body: break
            case .end: isReadingBody = false
            }
            context.fireChannelRead(wrapInboundOut(part))
        case .unreadable(let error):
            // The gateway reports an error within a body.
            if isReadingBody { context.fireErrorCaught(error) } else { reject(error, context) }
        case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    // MARK: - Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.assumeIsolated().whenComplete { _ in self.continueAfterResponse(context) }
        context.write(data, promise: sent)
    }

    private func continueAfterResponse(_ context: ChannelHandlerContext) {
        isAnswering = false
        onInputClosed = nil
        var hasPassed = false
        while let event = waiting.first, !mustWait(event) {
            waiting.removeFirst()
            pass(event, context)
            hasPassed = true
        }
        if hasPassed { context.fireChannelReadComplete() }
        guard waiting.isEmpty, isReadDelayed else { return }
        isReadDelayed = false
        context.read()
    }

    /// Sends the problem, and closes the connection 5 seconds later, so that the client can read the response first.
    private func reject(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
        ignoresInput = true
        waiting.removeAll()
        let problem = Problem(error)
        logger.debug(
            "request rejected", metadata: ["problem": "\(problem.type.slug)", "error": "\(error)"])
        let (head, body) = ResponseRenderer.response(withoutRequest: problem, publicURL: publicURL)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
    }
}

extension Problem {
    /// The problem for a request that the HTTP parser cannot read.
    fileprivate init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow: self.init(.headersTooLarge)
        case .invalidMethod: self.init(.requestInvalid, "The server does not know the method.")
        case .invalidVersion: self.init(.requestInvalid, "The version of HTTP must be 1.0 or 1.1.")
        case .invalidURL: self.init(.requestInvalid, "The address contains a character that is not allowed.")
        default: self.init(.requestInvalid, "The request is not correct HTTP/1.1 (RFC 9112).")
        }
    }
}
