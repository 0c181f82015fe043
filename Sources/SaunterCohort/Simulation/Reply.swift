import SaunterCore

/// What a made-up participant does about one occasion that they are asked.
struct Reply: Sendable, Hashable {
    /// When the sheet was completed.
    var at: Instant
    /// When it reached the server.
    var receivedAt: Instant
}

/// Decides which occasions somebody answers, and when. What is drawn follows from the schedule, its day and the place among the occasions
/// of that day, not from ids or clock times: the same person decides the same whoever plans, before a journey and after it.
struct ReplyMaker: Sendable {
    /// Which occasion, as far as both a plan and the public API tell it apart from others.
    struct Place: Sendable, Hashable {
        var schedule: String
        var day: Int
        /// From 0, in the order in which they were met.
        var ordinal: Int
    }

    let course: LifeCourse
    let seed: UInt64
    private var counts: [Place: Int] = [:]

    init(course: LifeCourse, seed: UInt64) {
        self.course = course
        self.seed = seed
    }

    /// The place of the next occasion of a schedule's day. Occasions must be met in the order in which they open.
    mutating func place(schedule: String, day: Int) -> Place {
        let first = Place(schedule: schedule, day: day, ordinal: 0)
        let ordinal = counts[first, default: 0]
        counts[first] = ordinal + 1
        return Place(schedule: schedule, day: day, ordinal: ordinal)
    }

    /// Nil where it is not answered.
    func reply(to window: AssessmentWindow, at place: Place) -> Reply? {
        var numbers = SeededNumbers(
            seed: seed, 21, course.place, Self.number(of: place.schedule), place.day, place.ordinal)
        let isAnswered = numbers.chance(course.propensity)
        let isLate = numbers.chance(course.late)
        let share = Double.random(in: 0..<1, using: &numbers)
        guard isAnswered else { return nil }
        // Whoever joins while it is open needs some minutes to get there.
        let open = max(window.openAt, course.joinedAt.adding(seconds: 600))
        let last = window.closeAt.adding(seconds: -1)
        guard open <= last else { return nil }
        let hasLate = last > max(window.dueAt, open)
        let late =
            max(window.dueAt.adding(seconds: 1), open)...max(last, max(window.dueAt.adding(seconds: 1), open))
        let onTime = open...max(open, min(window.dueAt, last))
        let span = hasLate && (isLate || open > window.dueAt) ? late : onTime
        // Most answer soon after they were asked.
        let seconds = Double(span.upperBound.milliseconds(since: span.lowerBound) / 1000) * share * share
        let at = min(span.lowerBound.adding(seconds: Int(seconds)), last)
        return course.takesPart(at: at) ? Reply(at: at, receivedAt: course.received(at)) : nil
    }

    /// The same number for the same text on every machine (FNV-1a).
    static func number(of text: String) -> Int {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash)
    }
}
