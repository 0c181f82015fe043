/// The files of rows that a study has, by its definitions and the profile alone: what was answered never adds or removes
/// a column. An instrument with too many columns for one file has no wide one; `answers.csv` holds it all the
/// same.
enum Tables {
    /// PostgreSQL's limit is 1664 columns in a result.
    private static let maximumColumns = 1600

    static func all(_ definitions: StudyDefinitions, _ profile: DatasetProfile = .coded) -> [Table] {
        if profile == .public { return [publicPeople, publicAnswers, publicStatistics] }
        let texts: [Table] =
            switch profile {
            case .coded: [freeText]
            case .full: [freeText, textRevisions, walkDevices]
            case .deidentified, .public: []
            }
        return [participants, enrolments, occasions, sheets, answers]
            + definitions.instruments.map { Wide(of: $0) }
            .filter { $0.values.columns.count <= maximumColumns }
            .flatMap { [$0.values, $0.reasons] }
            + (definitions.instruments.contains(where: \.isShuffled) ? [presentedOrders] : [])
            + [scores, walks, walkSamples, calibrations, reminders, adherenceDaily, revisions, tombstones]
            + texts
    }
}
