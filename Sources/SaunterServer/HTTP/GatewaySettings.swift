import SaunterCore

/// What the operator may set about requests.
package struct GatewaySettings: Sendable {
    /// Without a slash at its end. Types of problems, links and mails begin with it.
    package var publicURL: String
    /// Whose `X-Forwarded-For` is believed.
    package var proxies: TrustedProxies
    package var pace: BodyPace
    /// Requests that handlers work on at once, and bytes of their bodies.
    package var maximumRequests: Int
    package var maximumBodyBytes: Int
    /// Bodies that may be arriving at once, and their bytes.
    package var maximumArriving: Int
    package var maximumArrivingBytes: Int
    /// Lets `/metrics` be read by whoever sends it as a bearer token. Nil: by callers on loopback addresses only.
    package var metricsToken: String?

    package init(
        publicURL: String = "http://127.0.0.1:8080", proxies: TrustedProxies = TrustedProxies(),
        pace: BodyPace = BodyPace(), maximumRequests: Int = 512, maximumBodyBytes: Int = 64 * 1024 * 1024,
        maximumArriving: Int = 2048, maximumArrivingBytes: Int = 256 * 1024 * 1024,
        metricsToken: String? = nil
    ) {
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        self.proxies = proxies
        self.pace = pace
        self.maximumRequests = maximumRequests
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumArriving = maximumArriving
        self.maximumArrivingBytes = maximumArrivingBytes
        self.metricsToken = metricsToken
    }
}
