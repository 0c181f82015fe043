/// A named event that happens at most once per participant. The participant reports it. Schedules and phases can count
/// from it.
package struct StudyEvent: Sendable, Hashable {
    /// What the server does when a second instant is reported for the same event.
    package enum Update: String, Sendable, Hashable, CaseIterable {
        /// The second instant replaces the first.
        case mutable
        /// The server rejects the second instant.
        case immutable
        /// The second instant replaces the first only if it is later.
        case futureOnly = "future_only"
    }

    /// Unique in the study.
    package var code: String
    /// What happens if a second instant is reported.
    package var update: Update

    /// Creates an event that participants can report.
    package init(code: String, update: Update) {
        self.code = code
        self.update = update
    }

    /// Whether the event may move from the stored instant to another instant.
    package func canMove(from stored: Instant, to moment: Instant) -> Bool {
        switch update {
        case .mutable: true
        case .immutable: false
        case .futureOnly: moment > stored
        }
    }
}
