import SaunterCore
import SaunterStore

/// What of a claimed message is still worth sending, and why the rest is not.
package struct MessageContents: Sendable {
    /// Reminders that go out.
    package private(set) var keys: [PromptKey] = []
    /// Reasons, in the order of their names, with the reminders that they hold back.
    package private(set) var suppressed: [(why: SuppressionReason, keys: [PromptKey])] = []
    /// What they tell of, in the order of opening, each once.
    package private(set) var occasions: [Occasion] = []
    /// Codes of the rules whose words it holds, in order.
    package private(set) var notices: [String] = []
    /// When it is sent.
    package let at: Instant
    package var isDaily: Bool { keys.contains { $0.kind == .dueToday } }

    package init(_ keys: [PromptKey], study: Study, participation: Participation, at now: Instant) {
        at = now
        let enrolment = participation.enrolment
        let reason: SuppressionReason? =
            if !participation.status.isEnrolled(at: now) {
                .withdrawn
            } else if !enrolment.remindersOn {
                .switchedOff
            } else if participation.status.isPaused(at: now) {
                .paused
            } else {
                nil
            }
        let today = enrolment.zone.local(of: now).date.description
        let prompting = participation.prompting(study, at: now)
        let due = prompting.due(at: now)
        let known = Dictionary(participation.occasions.map { ($0.id.description, $0) }) { first, _ in
            first
        }
        let standing = Dictionary(
            prompting.notices().map { ($0.key, $0.expiresAt) }
        ) { first, _ in first }
        var found: [OccasionID: Occasion] = [:]
        var held: [SuppressionReason: [PromptKey]] = [:]
        for key in keys {
            let told: [Occasion]
            var why = reason
            if key.kind == .dueToday {
                told = due
                why = key.subject != today ? .dayOver : why ?? (due.isEmpty ? .completed : nil)
            } else if key.kind == .notice {
                told = []
                why = why ?? Self.noticeObstacle(standing[key], at: now)
            } else {
                told = known[key.subject].map { [$0] } ?? []
                why = why ?? Self.obstacle(known[key.subject], participation.snoozes, at: now)
            }
            if let why {
                held[why, default: []].append(key)
            } else {
                self.keys.append(key)
                for occasion in told { found[occasion.id] = occasion }
                if let code = key.noticeCode, !notices.contains(code) { notices.append(code) }
            }
        }
        suppressed = held.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
        occasions = found.values.sorted { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
    }

    /// - Parameter expiry: nil where nothing calls for the notice any more.
    private static func noticeObstacle(_ expiry: Instant?, at now: Instant) -> SuppressionReason? {
        guard let expiry else { return .completed }
        return now < expiry ? nil : .closed
    }

    private static func obstacle(
        _ occasion: Occasion?, _ snoozes: [Snooze], at now: Instant
    ) -> SuppressionReason? {
        switch occasion?.state(at: now) {
        // It was put off since; at the end of that a message of its own comes.
        case .open, .overdue:
            (snoozes.filter { $0.occasion == occasion?.id }.standing(at: now)?.until ?? now) > now
                ? .snoozed : nil
        case .completedOnTime, .completedLate, .declined: .completed
        case .missed: .closed
        case .upcoming: .moved
        case .paused, .cancelled, .notApplicable, .nonexistent, .withdrawn, nil: .setAside
        }
    }
}
