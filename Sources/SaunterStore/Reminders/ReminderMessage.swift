import SaunterCore

/// Reminders of one participant that were claimed together and are sent as one message.
package struct ReminderMessage: Sendable, Hashable {
    /// Equal in every attempt, so that receivers detect duplicates.
    package var id: MessageID
    /// The participant who gets the message.
    package var enrolment: EnrolmentID
    /// The claimed reminders, at least one.
    package var keys: [ReminderKey]
    /// No attempt is made after this instant, at which the last of the reminders expires. Later attempts omit reminders
    /// that have expired.
    package var expiresAt: Instant
    /// The only channel that sends it; nil: the participant's channels in their order.
    package var channel: ReminderChannel?

    /// Creates a message from claimed reminders; by default for all channels of the participant.
    package init(
        id: MessageID, enrolment: EnrolmentID, keys: [ReminderKey], expiresAt: Instant,
        channel: ReminderChannel? = nil
    ) {
        self.channel = channel
        self.id = id
        self.enrolment = enrolment
        self.keys = keys
        self.expiresAt = expiresAt
    }
}

/// The result of claiming the reminders of one participant.
package struct ReminderClaim: Sendable {
    /// The participant whose reminders were claimed.
    package var enrolment: EnrolmentID
    /// Nil if there is nothing to send.
    package var message: ReminderMessage?
    /// The locked state on which the decision is based. Nil if the response to the commit was lost and the claim was
    /// found later.
    package var participant: ParticipantState?
}

/// How an attempt to send claimed reminders ended.
package struct ReminderOutcome: Sendable {
    /// The state that the reminders get.
    package let state: ReminderState
    /// The raw value of a `SuppressionReason` or a `DeliveryFault`; nil if the message was sent.
    package let why: String?
    /// When the next attempt is due; nil if there is none.
    package var nextAttemptAt: Instant?
    /// The reply code of SMTP or the HTTP status; nil if there was no reply.
    package var replyCode: Int?
    /// Whether the failure concerns this recipient, and not an unreachable server.
    package var isRecipientFault: Bool
    /// The participant's reminders are checked again at this instant or earlier, because the reminder may be due once
    /// more then.
    package var nextCheckAt: Instant?

    /// Creates the outcome of an attempt; without a fault the message was sent.
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

    /// Creates the outcome of reminders that are not sent.
    package init(suppressed reason: SuppressionReason) {
        state = .suppressed
        why = reason.rawValue
        isRecipientFault = false
    }
}
