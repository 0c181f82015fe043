/// The state of a claimed reminder.
package enum ReminderState: String, Sendable, Hashable, CaseIterable {
    /// A worker has claimed it and will send it.
    case claimed
    /// It has not been sent yet, and another attempt follows.
    case retrying
    case sent, failed
    /// It may have been sent.
    case unknown
    /// The server decided not to send it. This is final.
    case suppressed
}

/// Why the server decided not to send a reminder.
package enum SuppressionReason: String, Sendable, Hashable, CaseIterable {
    case withdrawn
    case switchedOff = "switched_off"
    case paused
    /// None of its occasions is due any more.
    case completed
    /// The window has closed, or the notification has expired.
    case closed
    case snoozed
    /// The window now opens later.
    case moved
    case excluded = "set_aside"
    /// The day of the daily mail is over.
    case dayOver = "day_over"
    /// The daily maximum of the study is reached.
    case dailyCap = "daily_cap"
    /// A daily mail announced the occasion before an edit moved it to another day.
    case alreadyAnnounced = "told_before"
    /// The participant was erased.
    case noRecipient = "no_recipient"
}

/// Why an attempt to send a reminder failed.
package enum DeliveryFault: String, Sendable, Hashable, CaseIterable {
    /// Another attempt follows.
    case temporaryFailure = "temporary_failure"
    /// The connection broke before a response. The message may have been sent.
    case connectionLost = "connection_lost"
    /// The receiver rejects the message permanently.
    case refused
    /// The address does not exist any more.
    case gone
    /// The time for further attempts is over.
    case givenUp = "given_up"
    /// The participant has no usable channel.
    case noChannel = "no_channel"
}
