import SaunterCore

/// When a simulated participant answers one occasion.
struct PlannedAnswer: Sendable, Hashable {
    /// When the sheet is completed.
    var at: Instant
    /// When it reaches the server.
    var receivedAt: Instant
}

/// Decides which occasions a participant answers, and when. The draws depend on schedule, study day and position among
/// the occasions of that day, not on ids or times. So the decisions are the same for the engine and the API, and before
/// and after a journey.
struct AnswerPlanner: Sendable {
    /// Identifies an occasion for the draws, both in a plan and in the API.
    struct DrawKey: Sendable, Hashable {
        var schedule: String
        var day: Int
        /// From 0, in the order of opening.
        var ordinal: Int
    }

    let course: ParticipantCourse
    let seed: UInt64
    private var counts: [DrawKey: Int] = [:]

    init(course: ParticipantCourse, seed: UInt64) {
        self.course = course
        self.seed = seed
    }

    /// The key of the next occasion of a schedule's day. Call this in the order in which the occasions open.
    mutating func nextKey(schedule: String, day: Int) -> DrawKey {
        let first = DrawKey(schedule: schedule, day: day, ordinal: 0)
        let ordinal = counts[first, default: 0]
        counts[first] = ordinal + 1
        return DrawKey(schedule: schedule, day: day, ordinal: ordinal)
    }

    /// When the participant answers the occasion; nil if it is not answered.
    func answer(to window: AssessmentWindow, key: DrawKey) -> PlannedAnswer? {
        var numbers = SeededNumbers(
            seed: seed, 21, course.index, Self.hash(of: key.schedule), key.day, key.ordinal)
        let isAnswered = numbers.chance(course.propensity)
        let isLate = numbers.chance(course.late)
        let share = Double.random(in: 0..<1, using: &numbers)
        guard isAnswered else { return nil }
        // A participant who joins while the occasion is open needs at least 10 minutes.
        let open = max(window.openAt, course.joinedAt.adding(seconds: 600))
        let last = window.closeAt.adding(seconds: -1)
        guard open <= last else { return nil }
        let hasLate = last > max(window.dueAt, open)
        let late =
            max(window.dueAt.adding(seconds: 1), open)...max(last, max(window.dueAt.adding(seconds: 1), open))
        let onTime = open...max(open, min(window.dueAt, last))
        let span = hasLate && (isLate || open > window.dueAt) ? late : onTime
        // Squaring makes early answers more frequent.
        let seconds = Double(span.upperBound.milliseconds(since: span.lowerBound) / 1000) * share * share
        let at = min(span.lowerBound.adding(seconds: Int(seconds)), last)
        return course.isParticipating(at: at)
            ? PlannedAnswer(at: at, receivedAt: course.receiptTime(of: at)) : nil
    }

    /// A hash of the text (FNV-1a) that is the same on every machine.
    static func hash(of text: String) -> Int {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash)
    }
}
