import Foundation
import SaunterCore

/// Settings and limits of the gateway.
package struct GatewaySettings: Sendable {
    /// The server's public URL without a slash at its end. Problem types, links and the addresses in mails begin with
    /// it.
    package var publicURL: String
    /// The proxies whose `X-Forwarded-For` header is used.
    package var proxies: TrustedProxies
    /// How long a request body may take to arrive.
    package var bodyTimeout: BodyTimeout
    /// The maximum number of requests that handlers work on at the same time.
    package var maximumRequests: Int
    /// The maximum number of bytes of the bodies of those requests together.
    package var maximumBodyBytes: Int
    /// The maximum number of bodies that arrive at the same time.
    package var maximumIncomingBodies: Int
    /// The maximum number of bytes of those bodies together.
    package var maximumIncomingBytes: Int
    /// The maximum number of responses above 64 KiB that clients are reading at the same time.
    package var maximumOutgoingBodies: Int
    /// The maximum number of bytes of those responses together. A response that is written as a stream does not count.
    package var maximumOutgoingBytes: Int
    /// The bearer token for `/metrics`. If nil, only callers on this machine may read it.
    package var metricsToken: Secret<String>?

    /// Creates settings; the defaults are those of a server in operation.
    package init(
        publicURL: String = "http://127.0.0.1:8080", proxies: TrustedProxies = TrustedProxies(),
        bodyTimeout: BodyTimeout = BodyTimeout(), maximumRequests: Int = 512,
        maximumBodyBytes: Int = 64 * 1024 * 1024, maximumIncomingBodies: Int = 2048,
        maximumIncomingBytes: Int = 256 * 1024 * 1024, maximumOutgoingBodies: Int = 2048,
        maximumOutgoingBytes: Int = 128 * 1024 * 1024, metricsToken: Secret<String>? = nil
    ) {
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        self.proxies = proxies
        self.bodyTimeout = bodyTimeout
        self.maximumRequests = maximumRequests
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumIncomingBodies = maximumIncomingBodies
        self.maximumIncomingBytes = maximumIncomingBytes
        self.maximumOutgoingBodies = maximumOutgoingBodies
        self.maximumOutgoingBytes = maximumOutgoingBytes
        self.metricsToken = metricsToken
    }

    /// The origin of the public URL: scheme, host and port.
    var publicOrigin: String {
        guard let scheme = publicURL.range(of: "://") else { return publicURL }
        return String(publicURL[..<scheme.upperBound] + publicURL[scheme.upperBound...].prefix { $0 != "/" })
    }
}
