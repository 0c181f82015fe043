import SaunterCore
import SaunterStore

/// Splits a claimed message into the reminders that are still worth sending and the suppressed ones.
package struct MessageContents: Sendable {
    /// Reminders that are sent.
    package private(set) var keys: [ReminderKey] = []
    /// Suppressed reminders by reason, ordered by the name of the reason.
    package private(set) var suppressed: [(reason: SuppressionReason, keys: [ReminderKey])] = []
    /// The distinct occasions of the reminders, ordered by opening time.
    package private(set) var occasions: [Occasion] = []
    /// Codes of the notification rules whose text the message contains, in order.
    package private(set) var notificationCodes: [String] = []
    /// The time of sending.
    package let sentAt: Instant
    /// Whether the message contains the reminder of the daily mail.
    package var isDaily: Bool { keys.contains { $0.kind == .dueToday } }

    /// Decides by the state of the participant at this instant.
    package init(_ keys: [ReminderKey], study: Study, participant: ParticipantState, at now: Instant) {
        sentAt = now
        let enrolment = participant.enrolment
        // A reason that suppresses every reminder of the participant.
        let commonReason: SuppressionReason? =
            if !participant.status.isEnrolled(at: now) {
                .withdrawn
            } else if !enrolment.remindersOn {
                .switchedOff
            } else if participant.status.isPaused(at: now) {
                .paused
            } else {
                nil
            }
        let today = enrolment.zone.local(of: now).date.description
        let reminderPlanner = participant.reminderPlanner(study, at: now)
        let dueOccasions = reminderPlanner.due(at: now)
        let occasionsBySubject = Dictionary(
            participant.occasions.map { ($0.id.description, $0) }
        ) { first, _ in first }
        let notificationExpiries = Dictionary(
            reminderPlanner.notifications().map { ($0.key, $0.expiresAt) }
        ) { first, _ in first }
        var occasionsByID: [OccasionID: Occasion] = [:]
        var keysByReason: [SuppressionReason: [ReminderKey]] = [:]
        for key in keys {
            let occasionsOfKey: [Occasion]
            var reason = commonReason
            if key.kind == .dueToday {
                occasionsOfKey = dueOccasions
                reason = key.subject != today ? .dayOver : reason ?? (dueOccasions.isEmpty ? .completed : nil)
            } else if key.kind == .rule {
                // The rule decided that it is needed; the claim ends when it expires.
                occasionsOfKey = []
            } else if key.kind == .notification {
                occasionsOfKey = []
                reason =
                    reason
                    ?? Self.suppressionReason(ofNotificationWithExpiry: notificationExpiries[key], at: now)
            } else {
                let occasion = occasionsBySubject[key.subject]
                occasionsOfKey = occasion.map { [$0] } ?? []
                reason = reason ?? Self.suppressionReason(of: occasion, snoozes: participant.snoozes, at: now)
            }
            if let reason {
                keysByReason[reason, default: []].append(key)
            } else {
                self.keys.append(key)
                for occasion in occasionsOfKey { occasionsByID[occasion.id] = occasion }
                if let code = key.notificationCode, !notificationCodes.contains(code) {
                    notificationCodes.append(code)
                }
            }
        }
        suppressed = keysByReason.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
        occasions = occasionsByID.values.sorted { ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id) }
    }

    /// - Parameter expiry: nil if the notification is no longer needed.
    private static func suppressionReason(
        ofNotificationWithExpiry expiry: Instant?, at now: Instant
    ) -> SuppressionReason? {
        guard let expiry else { return .completed }
        return now < expiry ? nil : .closed
    }

    private static func suppressionReason(
        of occasion: Occasion?, snoozes: [Snooze], at now: Instant
    ) -> SuppressionReason? {
        switch occasion?.state(at: now) {
        // If the participant snoozed the occasion, a separate message follows when the snooze ends.
        case .open, .overdue:
            (snoozes.filter { $0.occasion == occasion?.id }.active(at: now)?.until ?? now) > now
                ? .snoozed : nil
        case .completedOnTime, .completedLate: .completed
        case .missed: .closed
        case .upcoming: .moved
        case .paused, .cancelled, .notApplicable, .nonexistent, .withdrawn, nil: .excluded
        }
    }
}
