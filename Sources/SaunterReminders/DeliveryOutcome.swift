/// The outcome of one delivery attempt by a channel.
package enum DeliveryOutcome: Sendable, Hashable {
    case accepted
    /// Certainly not delivered, but a retry can succeed. `retryAfter` is the delay in seconds that the other server
    /// asks for.
    case temporaryFailure(code: Int?, retryAfter: Int? = nil)
    /// Certainly not delivered because the receiving server is at fault. This is no fault of the recipient and affects
    /// other messages too.
    case outage(code: Int)
    /// Certainly not delivered, and a retry cannot succeed.
    case permanentFailure(code: Int?)
    /// Certainly not delivered, because the recipient's address no longer exists.
    case gone
    /// The connection was lost when the message may already have been accepted.
    case unknown
}

extension DeliveryOutcome {
    /// Whether the receiving server is at fault or does not answer. Then the failure is not counted against the
    /// recipient.
    package var isOutage: Bool {
        switch self {
        case .outage: true
        case .temporaryFailure(let code, _): code.map { $0 >= 500 } ?? true
        case .accepted, .permanentFailure, .gone, .unknown: false
        }
    }
}

extension DeliveryOutcome {
    /// Statuses of temporary refusals: request timeout, too early (RFC 8470), too many requests.
    private static let retryableStatuses: Set = [408, 425, 429]

    /// The delivery outcome for the outcome of a request.
    init(_ outcome: OutboundOutcome) {
        self =
            switch outcome {
            case .status(200..<300, _): .accepted
            case .status(404, _), .status(410, _): .gone
            case .status(let code, let retryAfter)
            where Self.retryableStatuses.contains(code) || code >= 500:
                .temporaryFailure(code: code, retryAfter: retryAfter)
            case .status(let code, _): .permanentFailure(code: code)
            case .addressRefused: .permanentFailure(code: nil)
            case .notSent: .temporaryFailure(code: nil)
            case .lost: .unknown
            }
    }
}
