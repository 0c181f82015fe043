/// The study's settings for reminders: daily mail, quiet hours, daily maximum, repetitions and channels.
package struct ReminderRule: Sendable, Hashable {
    /// The local time of the daily mail to participants with due occasions; nil for no daily mail. A participant may
    /// choose another time.
    package var at: LocalTime?
    /// The local time at which the quiet hours begin, inclusive. They may pass midnight. No message is sent in them.
    package var quietFrom: LocalTime
    /// The local time at which the quiet hours end, exclusive.
    package var quietTo: LocalTime
    /// Maximum number of messages per local date. Nil for no maximum.
    package var maximumPerDay: Int?
    /// Seconds after which a message is sent again if no device has confirmed it, at most twice. Nil for never.
    package var resendAfter: Int?
    /// Default channels of new participants. Not empty, no duplicates.
    package var channels: [ReminderChannel]
    /// Through which of the participant's channels a message is sent.
    package var delivery: Delivery
    /// The smallest number of channels that a participant must keep; nil for 0.
    package var leastChannels: Int?

    /// Through which of the participant's channels a message is sent.
    package enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// The first one that works.
        case first
        /// Each of them.
        case all
    }

    /// Creates a rule; by default without a maximum, and by mail.
    package init(
        at: LocalTime?, quietFrom: LocalTime, quietTo: LocalTime, maximumPerDay: Int? = nil,
        resendAfter: Int? = nil, channels: [ReminderChannel] = [.mail], delivery: Delivery = .first,
        leastChannels: Int? = nil
    ) {
        self.at = at
        self.quietFrom = quietFrom
        self.quietTo = quietTo
        self.maximumPerDay = maximumPerDay
        self.resendAfter = resendAfter
        self.channels = channels
        self.delivery = delivery
        self.leastChannels = leastChannels
    }
}
