import Hummingbird
import NIOCore
import SaunterCore

/// Hummingbird's context of a request, with the connection of the request.
package struct HTTPRequestContext: RequestContext {
    /// The data that Hummingbird itself needs.
    package var coreContext: CoreRequestContextStorage
    let channel: any Channel

    /// Creates the context of a request on the connection of the source.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The address at the other end of the connection, which may be a proxy.
    var peer: IPAddress? { channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) } }

    /// Sends `100 Continue`, without waiting for the body.
    func sendContinue() {
        channel.triggerUserOutboundEvent(ContinueHandler.SendContinue(), promise: nil)
    }

    /// Waits until the connection's event loop has processed all writes so far. The connection detects only then that
    /// its buffer is full, and makes the writer wait. Without this wait a fast writer could put a complete file into
    /// memory.
    func waitForEventLoop() async throws { try await channel.eventLoop.submit {}.get() }

    /// Runs the work, and cancels it when the client closes the connection or its side of it.
    func whileConnected<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        channel.triggerUserOutboundEvent(PipelineHandler.OnInputClosed { task.cancel() }, promise: nil)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Closes the connection after 5 seconds, so that the client can read the response first. If the
    /// connection closed at once, a TCP reset could discard the response.
    func closeAfterReply() {
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
    }
}
