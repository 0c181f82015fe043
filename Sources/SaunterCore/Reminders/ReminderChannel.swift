/// A way by which messages reach a participant. One who wishes for several is reached by the first that can.
package enum ReminderChannel: String, Sendable, Hashable, CaseIterable {
    /// To the account's address.
    case mail
    /// To the devices that the person registered.
    case push
    /// To the study's own programs, which know the participant by the pseudonym.
    case webhook
}
