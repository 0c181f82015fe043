import Hummingbird
import HummingbirdCore
import NIOCore

/// How connections are kept: Hummingbird's defaults have no time-out at all and take headers of 80 KiB.
package enum ServerShape {
    /// HTTP/1.1. Connections on which nothing happens are closed, so a client that never ends its headers goes away; bodies have a pace of
    /// their own (`BodyPace`).
    package static func http1(idleTimeout: Duration = .seconds(60)) -> HTTPServerBuilder {
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ContinueHandler(), SlowReaderHandler(patience: TimeAmount(idleTimeout)),
            ], idleTimeout: TimeAmount(idleTimeout))
        configuration.httpDecoder = .init(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
        return .http1(configuration: configuration)
    }
}
