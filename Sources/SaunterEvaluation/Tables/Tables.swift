/// The files of rows that a study has, by its definitions and the profile alone: what was answered never adds or removes
/// a column. Only of samples there is a file for each month that has walks. An instrument with too many columns for one
/// file has no wide one; `answers.csv` holds it all the same.
enum Tables {
    /// PostgreSQL's limit is 1664 columns in a result.
    private static let maximumColumns = 1600

    static func all(
        _ definitions: StudyDefinitions, _ profile: DatasetProfile = .coded, months: [WalkMonth] = []
    ) -> [Table] {
        if profile == .public { return [publicPeople, publicAnswers, publicStatistics] }
        let texts: [Table] =
            switch profile {
            case .coded: [freeText]
            case .full: [freeText, textRevisions, walkDevices]
            case .deidentified, .public: []
            }
        let wide = definitions.instruments.map { Wide(of: $0) }
            .filter { $0.values.columns.count <= maximumColumns }
            .flatMap { [$0.values, $0.reasons] }
        let instances = definitions.instruments.compactMap { Instances(of: $0) }
            .filter { $0.values.columns.count <= maximumColumns }
            .flatMap { [$0.values, $0.reasons] }
        let samples = [walkSamples] + months.map { monthlySamples($0, profile) }
        let orders = definitions.instruments.contains(where: \.isShuffled) ? [presentedOrders] : []
        return [participants, enrolments, armChanges, occasions, sheets, answers(definitions)] + wide
            + instances + orders
            + [scores] + overTime(definitions) + [walks] + samples + [observations, observationSamples]
            + [calibrations, usageEvents, reminders, adherenceDaily, revisions, tombstones] + texts
    }

    /// Only where some key declares them.
    private static func overTime(_ definitions: StudyDefinitions) -> [Table] {
        let rules = ScoreRules(definitions)
        return (rules.changes.isEmpty ? [] : [scoreChanges]) + (rules.windows.isEmpty ? [] : [scoreWindows])
    }
}
