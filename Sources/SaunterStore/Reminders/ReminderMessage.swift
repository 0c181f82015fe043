import SaunterCore

/// Reminders of one participant that were claimed together and go out as one message.
package struct ReminderMessage: Sendable, Hashable {
    package var id: MessageID
    package var enrolment: EnrolmentID
    package var keys: [PromptKey]
    /// No attempt is made from then on: it lives as long as the last of its reminders. What is over before is left out of later attempts.
    package var expiresAt: Instant

    package init(id: MessageID, enrolment: EnrolmentID, keys: [PromptKey], expiresAt: Instant) {
        self.id = id
        self.enrolment = enrolment
        self.keys = keys
        self.expiresAt = expiresAt
    }
}

/// What came of one participant whose moment had come.
package struct ReminderClaim: Sendable {
    package var enrolment: EnrolmentID
    /// Nil when there was nothing to send.
    package var message: ReminderMessage?
    /// The locked state from which it was decided; nil where the answer to the commit was lost and the claim was found again later.
    package var participation: Participation?
}

/// How claimed reminders ended.
package struct ReminderOutcome: Sendable {
    package let state: ReminderState
    /// A `SuppressionReason` or a `DeliveryFault`, as it is stored; nil where it was sent.
    package let why: String?
    package var nextAttemptAt: Instant?
    package var replyCode: Int?
    /// It says something of this person, not of a server that nobody reaches.
    package var isOfPerson: Bool
    /// When to look at the participant at the latest: what was sent may be sent once more then.
    package var lookAgainAt: Instant?

    package init(
        _ state: ReminderState, _ fault: DeliveryFault? = nil, nextAttemptAt: Instant? = nil,
        replyCode: Int? = nil, isOfPerson: Bool = false, lookAgainAt: Instant? = nil
    ) {
        self.state = state
        why = fault?.rawValue
        self.nextAttemptAt = nextAttemptAt
        self.replyCode = replyCode
        self.isOfPerson = isOfPerson
        self.lookAgainAt = lookAgainAt
    }

    package init(suppressed reason: SuppressionReason) {
        state = .suppressed
        why = reason.rawValue
        isOfPerson = false
    }
}
