import SaunterCore

/// The tables of a study. The definitions and the profile determine the tables and their columns; answers never add or
/// remove a column. The only exception is the samples of walks, which have one file per month. An instrument with too
/// many columns has no wide file; `answers.csv` contains its answers.
enum Tables {
    /// PostgreSQL allows 1664 columns in a result.
    private static let maximumColumns = 1600

    /// - Parameter hasDates: whether the filters have dates. There are then no variables and no programmes, because
    ///   they are computed from the whole participation.
    static func all(
        _ definitions: StudyDefinitions, _ profile: DatasetProfile = .coded, months: [WalkMonth] = [],
        hasDates: Bool = false
    ) -> [Table] {
        if profile == .public { return [publicPeople, publicAnswers, publicStatistics] }
        let texts: [Table] =
            switch profile {
            case .coded: [freeText]
            case .full:
                [freeText, textRevisions, sheetDevices, walkDevices, observationDetails, conflicts]
            case .deidentified, .public: []
            }
        let wide = definitions.instruments.map { WideTables(of: $0) }
            .filter { $0.values.columns.count <= maximumColumns }
            .flatMap { [$0.values, $0.reasons] }
        let instances = definitions.instruments.compactMap { InstanceTables(of: $0) }
            .filter { $0.values.columns.count <= maximumColumns }
            .flatMap { [$0.values, $0.reasons] }
        let samples = [walkSamples] + months.map { monthlySamples($0, profile) }
        let orders = definitions.instruments.contains(where: \.isShuffled) ? [presentedOrders] : []
        let phases = definitions.versions.contains { !$0.study.phases.isEmpty } ? [phases] : []
        let histories = [consents, followedVersions, zones, pauses, events] + phases + [devices]
        let tables =
            [PanelTable(of: definitions).table(maximumColumns: maximumColumns)]
            + [participants, enrolments, armChanges] + histories
            + [occasions(definitions), sheets, answers(definitions)] + wide + instances + orders + [timings]
            + entries(definitions) + entitlements(definitions, profile) + [scores]
            + scoresOverTime(definitions) + [walks, walkPauses] + samples
            + [observations, observationSamples, calibrations, usageEvents, reminders, snoozes]
            + (definitions.editions.isEmpty ? [] : [contentShown])
            + (definitions.programmeModules.isEmpty || hasDates ? [] : [programmes])
            + (definitions.versions.contains { !$0.study.rules.isEmpty } ? [decisions, alerts, awards] : [])
            + (definitions.hasBroadcasts ? [broadcasts] : [])
            + [adherenceDaily, revisions, profile == .full ? fullEdits : edits, tombstones]
            + (definitions.hasVariables && !hasDates ? [variables(definitions, profile)] : [])
            + locations(definitions, profile) + texts
        return definitions.contentLabels.isEmpty ? tables.map(\.withoutContentLabels) : tables
    }

    /// The tables of entries, settings and data kinds, if the study has them.
    private static func entries(_ definitions: StudyDefinitions) -> [Table] {
        let studies = definitions.versions.map(\.study)
        return (definitions.settings.isEmpty ? [] : [settings])
            + (studies.contains { $0.anyTime.contains(where: \.isActiveOne) } ? [episodes] : [])
            + (studies.contains { !$0.dataKinds.isEmpty } ? [dataKinds] : [])
    }

    /// The table of entitlements. Empty if the study has none, and in a release.
    private static func entitlements(_ definitions: StudyDefinitions, _ profile: DatasetProfile) -> [Table] {
        let hasEntitlements = definitions.versions.contains { !$0.study.entitlements.isEmpty }
        return hasEntitlements && [.coded, .full].contains(profile) ? [entitlements] : []
    }

    /// The tables of coordinates. Empty if no item is a location, and in a release.
    private static func locations(_ definitions: StudyDefinitions, _ profile: DatasetProfile) -> [Table] {
        guard definitions.instruments.contains(where: \.asksForLocation) else { return [] }
        return switch profile {
        case .coded: [locations(profile)]
        case .full: [locations(profile), locationRevisions]
        case .deidentified, .public: []
        }
    }

    /// The tables of scores over time. Empty if no scoring key declares them.
    private static func scoresOverTime(_ definitions: StudyDefinitions) -> [Table] {
        let rules = ScoreRules(definitions)
        return (rules.changes.isEmpty ? [] : [scoreChanges]) + (rules.windows.isEmpty ? [] : [scoreWindows])
    }
}
