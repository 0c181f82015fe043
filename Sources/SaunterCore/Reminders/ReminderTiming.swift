/// When a reminder of an occasion is sent, relative to the occasion's window. Lengths are elapsed seconds.
package enum ReminderTiming: Sendable, Hashable {
    case atOpen
    case afterOpen(seconds: Int)
    case beforeDue(seconds: Int)
    case beforeClose(seconds: Int)

    /// The kind of the reminders with this timing.
    package var kind: ReminderKind {
        switch self {
        case .atOpen: .atOpen
        case .afterOpen: .afterOpen
        case .beforeDue: .beforeDue
        case .beforeClose: .beforeClose
        }
    }

    /// The time of the reminder. It is never before the opening: a zone transition may make the window shorter than the
    /// configured time before its end.
    func moment(in window: AssessmentWindow) -> Instant {
        switch self {
        case .atOpen: window.openAt
        case .afterOpen(let seconds): window.openAt.adding(seconds: seconds)
        case .beforeDue(let seconds): max(window.openAt, window.dueAt.adding(seconds: -seconds))
        case .beforeClose(let seconds): max(window.openAt, window.closeAt.adding(seconds: -seconds))
        }
    }
}

extension Schedule {
    /// The reminders of one occasion, before quiet hours are applied.
    func reminders(of occasion: Occasion) -> [Reminder] {
        var ordinals: [ReminderKind: Int] = [:]
        return reminders.map { rule in
            ordinals[rule.kind, default: 0] += 1
            return Reminder(
                key: ReminderKey(rule.kind, of: occasion, ordinal: ordinals[rule.kind] ?? 1),
                at: rule.moment(in: occasion.window), expiresAt: occasion.window.closeAt,
                occasions: [occasion])
        }
    }
}
