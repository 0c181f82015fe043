import SaunterCore
import SaunterReminders

/// The settings of the server. All values have been checked.
package struct ServerConfiguration: Sendable {
    /// The address at which the server listens.
    package var host: String
    /// The TCP port at which the server listens; 0 for any free port.
    package var port: Int
    /// The public URL without a slash at its end. Links in mails and the URIs of problem types begin with it.
    package var publicURL: String
    /// The directory for temporary files of exports and batch uploads.
    package var dataDirectory: String
    /// The bearer token for `/metrics`. If nil, only callers on this machine may read it.
    package var metricsToken: Secret<String>?
    /// The proxies whose `X-Forwarded-For` header is used.
    package var trustedProxies: TrustedProxies
    /// The addresses that the server may call if a participant or researcher has entered them.
    package var outboundPolicy: OutboundPolicy
    /// The app store and the apps of which purchases are accepted; nil if the server accepts none.
    package var appStore: AppStoreSettings?
    /// The version of the program. The OpenAPI document states it.
    package var version: String

    /// Creates a configuration; by default without a token for metrics and without trusted proxies.
    package init(
        host: String, port: Int, publicURL: String, dataDirectory: String,
        metricsToken: Secret<String>? = nil,
        trustedProxies: TrustedProxies = TrustedProxies(), outboundPolicy: OutboundPolicy = OutboundPolicy(),
        appStore: AppStoreSettings? = nil, version: String = "0.1.0"
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.dataDirectory = dataDirectory
        self.metricsToken = metricsToken
        self.trustedProxies = trustedProxies
        self.outboundPolicy = outboundPolicy
        self.appStore = appStore
        self.version = version
    }
}
