import SaunterCore

/// Where a study's own programs are told of messages, and how that goes.
package struct StudyWebhook: Sendable, Hashable {
    /// Why nothing is sent there any more, until it is set anew.
    package enum Disabled: String, Sendable, Hashable, CaseIterable {
        /// It answered that it is no more.
        case gone
        /// It has failed for long.
        case failing
    }

    package var study: String
    package var url: String
    /// As whoever checks signatures has it.
    package var secret: String
    package var setAt: Instant
    /// In a row.
    package var failures = 0
    package var failingSince: Instant?
    package var lastReplyCode: Int?
    package var disabledAt: Instant?
    package var disabledWhy: Disabled?

    package init(study: String, url: String, secret: String, setAt: Instant) {
        self.study = study
        self.url = url
        self.secret = secret
        self.setAt = setAt
    }
}
