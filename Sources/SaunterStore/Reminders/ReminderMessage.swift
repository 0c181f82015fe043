import SaunterCore

/// Reminders of one participant that were claimed together and are sent as one message.
package struct ReminderMessage: Sendable, Hashable {
    package var id: MessageID
    package var enrolment: EnrolmentID
    package var keys: [ReminderKey]
    /// No attempt is made after this instant, at which the last of the reminders expires. Later attempts omit reminders
    /// that have expired.
    package var expiresAt: Instant

    package init(id: MessageID, enrolment: EnrolmentID, keys: [ReminderKey], expiresAt: Instant) {
        self.id = id
        self.enrolment = enrolment
        self.keys = keys
        self.expiresAt = expiresAt
    }
}

/// The result of claiming the reminders of one participant.
package struct ReminderClaim: Sendable {
    package var enrolment: EnrolmentID
    /// Nil if there is nothing to send.
    package var message: ReminderMessage?
    /// The locked state on which the decision is based. Nil if the response to the commit was lost and the claim was
    /// found later.
    package var participant: ParticipantState?
}

/// How an attempt to send claimed reminders ended.
package struct ReminderOutcome: Sendable {
    package let state: ReminderState
    /// The raw value of a `SuppressionReason` or a `DeliveryFault`; nil if the message was sent.
    package let why: String?
    package var nextAttemptAt: Instant?
    package var replyCode: Int?
    /// Whether the failure concerns this recipient, and not an unreachable server.
    package var isRecipientFault: Bool
    /// The participant's reminders are checked again at this instant or earlier, because the reminder may be due once
    /// more then.
    package var nextCheckAt: Instant?

    package init(
        _ state: ReminderState, _ fault: DeliveryFault? = nil, nextAttemptAt: Instant? = nil,
        replyCode: Int? = nil, isRecipientFault: Bool = false, nextCheckAt: Instant? = nil
    ) {
        self.state = state
        why = fault?.rawValue
        self.nextAttemptAt = nextAttemptAt
        self.replyCode = replyCode
        self.isRecipientFault = isRecipientFault
        self.nextCheckAt = nextCheckAt
    }

    package init(suppressed reason: SuppressionReason) {
        state = .suppressed
        why = reason.rawValue
        isRecipientFault = false
    }
}
