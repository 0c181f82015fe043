import HTTPTypes

/// The state of a rate limit for one client, as the IETF draft "RateLimit header fields for HTTP" describes it.
package struct RateLimit: Sendable, Hashable {
    /// A short name of the limit, lower-case ASCII letters and hyphens.
    package let name: String
    /// The maximum number of requests per window.
    package let quota: Int
    /// The length of the window in seconds.
    package let windowSeconds: Int
    /// The number of requests that the client may send now.
    package let remaining: Int
    /// Seconds until the client may send more requests than now.
    package let resetSeconds: Int

    /// Creates the state of a limit. A negative number of remaining requests becomes 0.
    package init(name: String, quota: Int, windowSeconds: Int, remaining: Int, resetSeconds: Int) {
        self.name = name
        self.quota = quota
        self.windowSeconds = windowSeconds
        self.remaining = max(0, remaining)
        self.resetSeconds = max(0, resetSeconds)
    }

    /// `RateLimit-Policy` and `RateLimit`.
    package var headers: HTTPFields {
        [
            .rateLimitPolicy: "\"\(name)\";q=\(quota);w=\(windowSeconds)",
            .rateLimit: "\"\(name)\";r=\(remaining);t=\(resetSeconds)",
        ]
    }

    /// The error for a request above the limit (429), with `Retry-After`.
    package var exceeded: Problem {
        let seconds = max(1, resetSeconds)
        return Problem(
            .tooManyRequests, "Wait \(seconds) \(seconds == 1 ? "second" : "seconds").", retryAfter: seconds,
            headers: headers)
    }
}
