/// How a simulated participant takes part. The habits are typical for real studies.
enum Habit: String, CaseIterable, Sendable {
    /// Answers nearly every evening.
    case steady
    /// Forgets every other evening.
    case forgetful
    /// Answers at night, often after the due time.
    case late
    /// Has no network in the evening. The phone submits its sheets the next morning.
    case offline
    /// Has a poor connection, so the phone sends everything twice.
    case sendsTwice
    /// Stops answering after a few days, but does not leave the study.
    case stopping
    /// Leaves the study after some days.
    case withdrawing

    /// The probability of answering on this study day.
    func answerProbability(onDay day: Int) -> Double {
        switch self {
        case .steady, .sendsTwice: 0.93
        case .forgetful: 0.5
        case .late, .offline: 0.85
        case .stopping: day < 4 ? 0.9 : 0
        case .withdrawing: day < 5 ? 0.8 : 0
        }
    }

    /// The probability of a walk on this study day.
    func walkProbability(onDay day: Int) -> Double {
        switch self {
        case .steady, .sendsTwice: 0.75
        case .forgetful, .late, .offline: 0.5
        case .stopping: day < 4 ? 0.5 : 0
        case .withdrawing: day < 5 ? 0.4 : 0
        }
    }
}
