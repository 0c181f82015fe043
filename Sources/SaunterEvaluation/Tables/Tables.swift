/// The files of rows that a study has, by its definitions alone: what was answered never adds or removes a
/// column. An instrument with too many columns for one file has no wide one; `answers.csv` holds it all the
/// same.
enum Tables {
    /// PostgreSQL's limit is 1664 columns in a result.
    private static let maximumColumns = 1600

    static func all(_ definitions: StudyDefinitions) -> [Table] {
        [participants, enrolments, occasions, sheets, answers]
            + definitions.instruments.map { Wide(of: $0) }
            .filter { $0.values.columns.count <= maximumColumns }
            .flatMap { [$0.values, $0.reasons] }
            + [scores, walks, walkSamples, calibrations, reminders, adherenceDaily, revisions, freeText]
    }
}
