/// How far a reminder that was decided on has come.
package enum ReminderState: String, Sendable, Hashable, CaseIterable {
    /// Somebody is about to send it.
    case claimed
    /// It surely has not gone out yet, and is tried again.
    case retrying
    case sent, failed
    /// It may have gone out.
    case unknown
    /// It is not sent, for a reason of our own, and never will be.
    case suppressed
}

/// Why a reminder that was decided on is not sent.
package enum SuppressionReason: String, Sendable, Hashable, CaseIterable {
    case withdrawn
    case switchedOff = "switched_off"
    case paused
    /// Nothing that it would tell of is due any more.
    case completed
    /// The window is closed, or it is too late for the notice.
    case closed
    case snoozed
    /// The window opens later now.
    case moved
    case setAside = "set_aside"
    /// A daily mail, and its day is over.
    case dayOver = "day_over"
    /// As many messages as the study sends a day have gone out.
    case dailyCap = "daily_cap"
    /// A daily mail has told of it before an edit took it to another day.
    case toldBefore = "told_before"
    /// The person is gone.
    case noRecipient = "no_recipient"
}

/// Why an attempt to send a reminder came to nothing.
package enum DeliveryFault: String, Sendable, Hashable, CaseIterable {
    /// Another attempt follows.
    case temporaryFailure = "temporary_failure"
    /// The other side answered no more: it may have gone out.
    case connectionLost = "connection_lost"
    /// The other side takes it never.
    case refused
    /// There is no such address any more.
    case gone
    /// It is too late for another attempt.
    case givenUp = "given_up"
    /// The participant has none by which anything can be sent.
    case noChannel = "no_channel"
}
