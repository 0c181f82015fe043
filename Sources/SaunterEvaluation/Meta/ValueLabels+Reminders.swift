import SaunterCore

extension ValueLabels {
    /// The codes of the file about reminders.
    static let reminders: [(set: String, codes: [(code: String, label: String)])] = [
        ("reminder_kind", PromptKind.allCases.map { ($0.rawValue, $0.label) }),
        ("reminder_channel", ReminderChannel.allCases.map { ($0.rawValue, $0.label) }),
        ("reminder_state", states),
        ("suppression_reason", suppressions),
        // Of an attempt it is why it came to nothing, where it did.
        ("reminder_outcome", states + faults + suppressions),
    ]

    private static let states = ReminderState.allCases.map { (code: $0.rawValue, label: $0.label) }
    private static let faults = DeliveryFault.allCases.map { (code: $0.rawValue, label: $0.label) }
    private static let suppressions = SuppressionReason.allCases.map { (code: $0.rawValue, label: $0.label) }
}

extension PromptKind {
    fileprivate var label: String {
        switch self {
        case .dueToday: "Daily mail about what is due today"
        case .atOpen: "When the window opens"
        case .afterOpen: "Some time after the window has opened"
        case .beforeDue: "Some time before it is due"
        case .beforeClose: "Some time before the window closes"
        case .snoozed: "When the participant wished to be reminded"
        case .resend: "Again, as nobody's device had confirmed the message before"
        case .notice: "By a rule of the study that no occasion asks for"
        }
    }
}

extension ReminderChannel {
    fileprivate var label: String {
        switch self {
        case .mail: "Mail"
        case .push: "Push notification"
        case .webhook: "The study's own programs"
        }
    }
}

extension ReminderState {
    fileprivate var label: String {
        switch self {
        case .claimed: "About to be sent"
        case .retrying: "To be tried again"
        case .sent: "Sent"
        case .failed: "Could not be sent"
        case .unknown: "Whether it was sent is not known"
        case .suppressed: "Not sent, for a reason"
        }
    }
}

extension SuppressionReason {
    fileprivate var label: String {
        switch self {
        case .withdrawn: "The participant had left"
        case .switchedOff: "The participant had switched reminders off"
        case .paused: "The participant had paused"
        case .completed: "Nothing was left to remind of"
        case .closed: "The window had closed"
        case .snoozed: "The participant had put it off"
        case .moved: "The window had come to open later"
        case .setAside: "The occasion was set aside"
        case .dayOver: "The day of the mail was over"
        case .dailyCap: "As many messages as the study sends a day had gone out"
        case .toldBefore: "A daily mail had told of it before it was moved to another day"
        case .noRecipient: "There was nobody to send it to"
        }
    }
}

extension DeliveryFault {
    fileprivate var label: String {
        switch self {
        case .temporaryFailure: "Failed, to be tried again"
        case .connectionLost: "No answer: it may have gone out"
        case .refused: "Refused by the other side"
        case .gone: "There was no such address any more"
        case .givenUp: "Failed, and too late to be tried again"
        case .noChannel: "The participant had nothing that it could be sent to"
        }
    }
}
