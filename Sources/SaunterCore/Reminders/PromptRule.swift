/// When, seen from an occasion's window, a reminder of that occasion goes out. Lengths are seconds that pass, not those of a clock face.
package enum PromptRule: Sendable, Hashable {
    case atOpen
    case afterOpen(seconds: Int)
    case beforeDue(seconds: Int)
    case beforeClose(seconds: Int)

    package var kind: PromptKind {
        switch self {
        case .atOpen: .atOpen
        case .afterOpen: .afterOpen
        case .beforeDue: .beforeDue
        case .beforeClose: .beforeClose
        }
    }

    /// Never before the window opens: one that a clock change has shortened may be shorter than the time before its end.
    func moment(in window: AssessmentWindow) -> Instant {
        switch self {
        case .atOpen: window.openAt
        case .afterOpen(let seconds): window.openAt.adding(seconds: seconds)
        case .beforeDue(let seconds): max(window.openAt, window.dueAt.adding(seconds: -seconds))
        case .beforeClose(let seconds): max(window.openAt, window.closeAt.adding(seconds: -seconds))
        }
    }
}

/// Why a reminder goes out.
package enum PromptKind: String, Sendable, Hashable, CaseIterable {
    /// The daily mail; its subject is a local date.
    case dueToday = "due_today"
    case atOpen = "at_open"
    case afterOpen = "after_open"
    case beforeDue = "before_due"
    case beforeClose = "before_close"
    /// The participant asked to be reminded later.
    case snoozed
    /// Nobody's device has confirmed what was sent before.
    case resend
    /// A rule of the study that no occasion asks for; its subject is the rule's code with the moment from which it counts.
    case notice
}

/// Which reminder: unique for all time within an enrolment.
package struct PromptKey: Sendable, Hashable {
    package var kind: PromptKind
    /// The occasion's id, or the local date of a daily mail.
    package var subject: String
    /// From 1, among those of this kind about this subject.
    package var ordinal: Int

    package init(kind: PromptKind, subject: String, ordinal: Int) {
        self.kind = kind
        self.subject = subject
        self.ordinal = ordinal
    }

    package init(_ kind: PromptKind, of occasion: Occasion, ordinal: Int) {
        self.init(kind: kind, subject: occasion.id.description, ordinal: ordinal)
    }
}

/// A reminder with the moment at which it goes out, quiet hours heeded.
package struct Prompt: Sendable, Hashable {
    package var key: PromptKey
    package var at: Instant
    /// It is of no use from then on.
    package var expiresAt: Instant
    /// What it tells of: one occasion, or all that the daily mail counts.
    package var occasions: [Occasion]

    package init(key: PromptKey, at: Instant, expiresAt: Instant, occasions: [Occasion]) {
        self.key = key
        self.at = at
        self.expiresAt = expiresAt
        self.occasions = occasions
    }
}

extension Schedule {
    /// What the rules give for one occasion, quiet hours left aside.
    func prompts(of occasion: Occasion) -> [Prompt] {
        var ordinals: [PromptKind: Int] = [:]
        return prompts.map { rule in
            ordinals[rule.kind, default: 0] += 1
            return Prompt(
                key: PromptKey(rule.kind, of: occasion, ordinal: ordinals[rule.kind] ?? 1),
                at: rule.moment(in: occasion.window), expiresAt: occasion.window.closeAt,
                occasions: [occasion])
        }
    }
}
