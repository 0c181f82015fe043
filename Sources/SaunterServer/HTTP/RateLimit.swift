import HTTPTypes

/// How much of an allowance is left, as the IETF's draft on rate-limit headers writes it.
package struct RateLimit: Sendable, Hashable {
    /// A short name of the allowance, lower-case ASCII letters and hyphens.
    package let name: String
    /// Requests per window.
    package let quota: Int
    package let windowSeconds: Int
    package let remaining: Int
    /// Seconds until something more is allowed.
    package let resetSeconds: Int

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

    /// The refusal when nothing is left, with `Retry-After`.
    package var exceeded: Problem {
        Problem(
            .tooManyRequests, "Wait \(max(1, resetSeconds)) seconds.", retryAfter: max(1, resetSeconds),
            headers: headers)
    }
}
