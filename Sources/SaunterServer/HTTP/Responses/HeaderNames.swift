import HTTPTypes

extension HTTPField.Name {
    /// `X-Request-ID`, in requests and responses.
    package static let requestID = HTTPField.Name("X-Request-ID")!
    /// `X-Forwarded-For`, used only from trusted proxies.
    package static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// A page that refreshes by itself sends it, so that an unattended page does not keep a session open.
    static let refresh = HTTPField.Name("X-Refresh")!
    static let host = HTTPField.Name("Host")!
    static let forwarded = HTTPField.Name("Forwarded")!
    /// `RateLimit` (IETF draft).
    package static let rateLimit = HTTPField.Name("RateLimit")!
    /// `RateLimit-Policy` (IETF draft).
    package static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!
    /// `Link` (RFC 8288).
    package static let link = HTTPField.Name("Link")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
