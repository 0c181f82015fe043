/// A channel that delivers messages to a participant. If the participant has chosen several, the first one that works
/// is used.
package enum ReminderChannel: String, Sendable, Hashable, CaseIterable {
    /// Mail to the account's address.
    case mail
    /// Push messages to the participant's registered devices.
    case push
    /// HTTP requests to the study's own programs. They know the participant only by the pseudonym.
    case webhook
    /// The participant's inbox in the app. It cannot fail.
    case inApp = "in_app"
}
