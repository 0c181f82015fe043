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
    /// Stops answering in the first half, but does not leave the study.
    case stopping
    /// Leaves the study in the middle.
    case withdrawing

    /// The last study day on which the participant answers; nil if there is no end.
    /// - Parameter days: the number of days of the run.
    func lastDay(of days: Int) -> Int? {
        switch self {
        case .stopping: max(3, days * 2 / 5)
        case .withdrawing: max(4, days / 2)
        default: nil
        }
    }

    /// The probability of answering on a study day, up to the last one.
    var answerProbability: Double {
        switch self {
        case .steady, .sendsTwice: 0.93
        case .forgetful: 0.5
        case .late, .offline: 0.85
        case .stopping: 0.9
        case .withdrawing: 0.8
        }
    }

    /// The probability of a walk on a study day, up to the last one.
    var walkProbability: Double {
        switch self {
        case .steady, .sendsTwice: 0.75
        case .forgetful, .late, .offline, .stopping: 0.5
        case .withdrawing: 0.4
        }
    }
}
