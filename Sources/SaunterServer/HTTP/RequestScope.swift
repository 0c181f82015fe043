import Hummingbird
import NIOCore
import SaunterCore

/// What Hummingbird hands along with a request; ours adds the connection, which must be closed when a client misbehaves.
package struct RequestScope: RequestContext {
    package var coreContext: CoreRequestContextStorage
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The other end of the socket, which may be a proxy.
    var peer: IPAddress? { channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) } }

    /// Asks the client for its body. Nothing to wait for: the body comes or it does not.
    func inviteBody() {
        channel.triggerUserOutboundEvent(ContinueHandler.Invitation(), promise: nil)
    }

    /// Returns when the connection has taken in everything that was written to it, and so knows whether it is full. Until then it lets everything be
    /// written: whoever writes faster than the connection's own thread turns to it would put a whole file into memory.
    func takeIn() async throws { try await channel.eventLoop.submit {}.get() }

    /// Closes the connection a little later: by then the client has read the reply. Closed at once, the reply could be lost to a reset.
    func closeSoon() {
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
    }
}
