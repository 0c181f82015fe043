/// Whether pages count the days of a study.
enum StudyLength {
    /// The highest number of a last day that is meant for people. A study with more days is a diary without an end.
    private static let maximumLastDay = 400

    /// Whether pages state how many days the study has.
    /// - Parameter lastDay: the number of the last day of the study. The day of enrolment is day 0.
    static func isCounted(lastDay: Int) -> Bool { lastDay <= maximumLastDay }
}
