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

    /// The code of the study.
    package var study: String
    /// An https URL that the outbound address policy permits.
    package var url: String
    /// The secret that signs the requests. The receiver checks signatures with it.
    package var secret: Secret<String>
    /// When a researcher last set the webhook. Setting it again enables it.
    package var setAt: Instant
    /// The number of consecutive failures.
    package var failures = 0
    /// When the first of the consecutive failures happened; nil if the last request succeeded.
    package var failingSince: Instant?
    /// The HTTP status of the last failed request; nil if there was no response, or if the last request succeeded.
    package var lastReplyCode: Int?
    /// When the server disabled the webhook; nil if it is enabled.
    package var disabledAt: Instant?
    /// Why it is disabled; nil if it is enabled.
    package var disabledReason: DisabledReason?

    /// Creates an enabled webhook without failures.
    package init(study: String, url: String, secret: Secret<String>, setAt: Instant) {
        self.study = study
        self.url = url
        self.secret = secret
        self.setAt = setAt
    }
}
