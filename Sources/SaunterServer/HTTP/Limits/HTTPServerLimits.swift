import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Limits of connections and request headers. Hummingbird has no timeouts by default, and accepts headers of 80 KiB.
package enum HTTPServerLimits {
    /// A server for HTTP/1.1 with these limits:
    ///
    /// - A connection without traffic is closed after `idleTimeout`. This also ends a client that never completes its
    ///   headers. Bodies have their own timeout (`BodyTimeout`).
    /// - A client that does not read its response is disconnected after `idleTimeout` (`SlowReaderHandler`).
    /// - The requests of one connection are answered one at a time, and the next one waits until the response is sent
    ///   (`PipelineHandler`).
    /// - One header has at most 16 KiB, all headers together have at most 32 KiB and 100 fields.
    /// - Parameter publicURL: the addresses of problem types begin with it.
    package static func http1(
        publicURL: String, idleTimeout: Duration = .seconds(60), logger: Logger
    ) -> HTTPServerBuilder {
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                PipelineHandler(publicURL: publicURL, logger: logger), ContinueHandler(),
                SlowReaderHandler(timeout: TimeAmount(idleTimeout)),
            ], idleTimeout: TimeAmount(idleTimeout))
        configuration.httpDecoder = .init(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
        return .http1(configuration: configuration)
    }
}
