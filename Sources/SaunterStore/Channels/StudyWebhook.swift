import SaunterCore

/// The webhook that receives a study's messages, and its recent failures.
package struct StudyWebhook: Sendable, Hashable {
    /// Why the webhook is disabled, until it is set again.
    package enum DisabledReason: String, Sendable, Hashable, CaseIterable {
        /// It answered 410 (gone).
        case gone
        /// It failed too often for too long.
        case failing
    }

    package var study: String
    package var url: String
    /// The secret that signs the requests. The receiver checks signatures with it.
    package var secret: Secret<String>
    package var setAt: Instant
    /// Consecutive failures.
    package var failures = 0
    package var failingSince: Instant?
    package var lastReplyCode: Int?
    package var disabledAt: Instant?
    package var disabledReason: DisabledReason?

    package init(study: String, url: String, secret: Secret<String>, setAt: Instant) {
        self.study = study
        self.url = url
        self.secret = secret
        self.setAt = setAt
    }
}
