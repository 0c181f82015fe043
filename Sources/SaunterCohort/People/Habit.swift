/// How a made-up participant takes part. Together they show what a researcher meets.
enum Habit: String, CaseIterable, Sendable {
    /// Answers nearly every evening.
    case steady
    /// Forgets every other evening.
    case forgetful
    /// Answers at night, often after the hour at which it was due.
    case late
    /// Has no network in the evening; the phone hands its sheets in the next morning.
    case offline
    /// Has a poor connection: everything is sent twice.
    case twice
    /// Stops answering after a few days without a word.
    case fading
    /// Withdraws after some days.
    case withdrawing

    /// The share of evenings answered on this study day.
    func diligence(onDay day: Int) -> Double {
        switch self {
        case .steady, .twice: 0.93
        case .forgetful: 0.5
        case .late, .offline: 0.85
        case .fading: day < 4 ? 0.9 : 0
        case .withdrawing: day < 5 ? 0.8 : 0
        }
    }

    /// Walks a day.
    func walking(onDay day: Int) -> Double {
        switch self {
        case .steady, .twice: 0.75
        case .forgetful, .late, .offline: 0.5
        case .fading: day < 4 ? 0.5 : 0
        case .withdrawing: day < 5 ? 0.4 : 0
        }
    }
}
