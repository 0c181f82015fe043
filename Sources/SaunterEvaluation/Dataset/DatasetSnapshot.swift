import Postgres
import SaunterCore

/// The facts that are constant for one dataset and are read at the beginning of its transaction: the definitions, the
/// instant of the snapshot, and the counts of participants.
struct DatasetSnapshot {
    let profile: DatasetProfile
    let filters: DatasetFilters
    let definitions: StudyDefinitions
    /// The instant of the snapshot. All tables show the state at this instant.
    let asOf: Instant
    /// Whether the request names this instant. The tables are then read as they were; see `PastTables`.
    let isPast: Bool
    /// Time zones in use that the database does not know. Local times in these zones are blank.
    let unknownZones: [String]
    let participants: ParticipantCounts
    /// The state of the study from which the dataset is made.
    let state: DatasetState
    /// The number of sheets per version of each questionnaire: rows of the statement `dataset_shapes`.
    let shapes: Rows

    /// Reads the definitions and sets the settings of the transaction.
    /// - Parameters:
    ///   - language: the language of labels; nil means the first language of the study.
    ///   - asOf: the instant that the dataset shows; nil means the last instant, not after `now`, at which something
    ///     changed.
    ///   - isBlinded: whether letters replace the codes of arms.
    ///   - secret: returns the secret of a study; required if the profile creates new pseudonyms, or for letters.
    ///   - now: the latest instant that the dataset may show; nil uses the clock of the database.
    /// - Throws: `DatasetFault`, `DatabaseError`.
    static func open(
        _ study: String, profile: DatasetProfile, filters: DatasetFilters, language: String? = nil,
        asOf: Instant? = nil, isBlinded: Bool = false,
        secret: (@Sendable (_ study: String) -> [UInt8])?, now: Instant?, in transaction: Transaction
    ) async throws -> DatasetSnapshot {
        if let fault = filters.fault(with: profile, asOf: asOf) { throw fault }
        let clock = try await transaction.query(SQLFile.frame["dataset_clock"]).one().timestamp("now")
        let until = now ?? Instant(milliseconds: clock)
        if let asOf, asOf > until { throw DatasetFault.futureInstant(asOf) }
        let isPast = asOf != nil
        var all = try await readDefinitions(of: study, asOf: asOf, in: transaction)
        if isBlinded {
            guard let secret else { throw DatasetFault.noSecret(profile) }
            // The letters of a dataset with an earlier state are those of the present.
            let present =
                isPast ? try await readDefinitions(of: study, asOf: nil, in: transaction) : all
            all = all.blinded(by: present.letters(secret: secret(study)))
        }
        try filters.check(against: all)
        if let language, !all.languages.contains(language) {
            throw DatasetFault.unknownLanguage(language, known: all.languages)
        }
        let definitions = all.limited(to: filters.questionnaires, language: language)
        try await begin(definitions, filters, in: transaction)
        if let asOf {
            try await set("as_of", asOf.description, in: transaction)
            _ = try await transaction.query(SQLFile.frame["dataset_past_plans"])
        }
        let unknown = try await findUnknownZones(filters, isPast: isPast, in: transaction)
        let moment: Instant
        if let asOf {
            moment = asOf
        } else {
            let last = try await transaction.query(
                statement("dataset_as_of", filters), [.timestamp(milliseconds: until.milliseconds)]
            ).one().timestamp("as_of")
            moment = Instant(milliseconds: last)
            try await set("as_of", moment.description, in: transaction)
        }
        let shapes = try await transaction.query(statement("dataset_shapes", filters, isPast: isPast))
        try StoredShapeValidator(definitions).check(shapes)
        let participants = try await ParticipantCounts(
            transaction.query(statement("dataset_people", filters, isPast: isPast)).one())
        if profile == .deidentified {
            guard let secret else { throw DatasetFault.noSecret(profile) }
            let key = ReleaseKey(
                secret: secret(study), study: study, profile: profile, asOf: moment, filters: filters)
            for (name, value) in key.settings { try await set(name, value, in: transaction) }
        }
        try await set("least_people", String(DatasetProfile.minimumParticipants), in: transaction)
        return DatasetSnapshot(
            profile: profile, filters: filters, definitions: definitions, asOf: moment, isPast: isPast,
            unknownZones: unknown, participants: participants,
            state: try await DatasetState.read(study, filters, now: asOf ?? until, in: transaction),
            shapes: shapes)
    }

    /// Reads the versions that were published by an instant, or all versions.
    private static func readDefinitions(
        of study: String, asOf: Instant?, in transaction: Transaction
    ) async throws -> StudyDefinitions {
        var statement = SQLFile.frame["dataset_versions"]
        var editions = SQLFile.frame["dataset_editions"]
        var sharedItems = SQLFile.frame["dataset_shared_items"]
        var broadcasts = SQLFile.frame["dataset_has_broadcasts"]
        if let asOf {
            try await set("as_of", asOf.description, in: transaction)
            statement = PastTables.apply(to: statement)
            editions = PastTables.apply(to: editions)
            sharedItems = PastTables.apply(to: sharedItems)
            broadcasts = PastTables.apply(to: broadcasts)
        }
        let rows = try await transaction.query(statement, ["study": .text(study)])
        if let asOf, rows.isEmpty { throw DatasetFault.unpublishedStudy(study, at: asOf) }
        var definitions = try StudyDefinitions.read(study, rows: rows)
        definitions.editions = try await transaction.query(editions, ["study": .text(study)]).map { row in
            StudyDefinitions.Edition(
                edition: try row.get("edition"), digest: try row.get("digest"),
                files: try JSONReader.read(try row.get("files", as: String.self)),
                publishedAt: Instant(milliseconds: try row.timestamp("published_at")))
        }
        definitions.programmeModules = ProgrammeModule.all(
            in: definitions.editions, of: definitions.liveStudy)
        if let live = definitions.editions.last {
            let shared = try await transaction.query(sharedItems, ["study": .text(study)])
                .map { try $0.get("item", as: String.self) }
            definitions.contentLabels = ContentLabels(
                files: live.files, of: definitions.liveStudy, sharedIDs: Set(shared))
        }
        definitions.hasBroadcasts = try await transaction.query(broadcasts, ["study": .text(study)]).one()
            .get("has_broadcasts")
        return definitions
    }

    /// The estimated number of rows of each table.
    func estimate(_ tables: [Table], in transaction: Transaction) async throws -> RowEstimate {
        try RowEstimate(
            definitions, tables,
            sizes: try await transaction.query(Self.statement("dataset_sizes", filters, isPast: isPast))
                .one(),
            shapes: shapes)
    }

    /// Sets the settings that every statement of a dataset reads.
    static func begin(
        _ definitions: StudyDefinitions, _ filters: DatasetFilters, in transaction: Transaction
    ) async throws {
        _ = try await transaction.query(
            SQLFile.frame["dataset_begin"],
            [
                "study": .text(definitions.code), "arms": .text(filters.arms.joined(separator: ",")),
                "arm_letters": .text(definitions.armLetters),
                "questionnaires": .text(definitions.instruments.map(\.code).joined(separator: ",")),
                "from_date": .text(filters.firstDate), "to_date": .text(filters.lastDate),
                "definitions": .text(DefinitionSettings.json(definitions).text),
                "study_days": .text(DefinitionSettings.days(definitions).text),
                "phases": .text(DefinitionSettings.phases(definitions).text),
                "schedule_phases": .text(DefinitionSettings.schedulePhases(definitions).text),
            ])
        let rules = ScoreRules(definitions)
        try await set("score_changes", JSON.array(rules.changes).text, in: transaction)
        try await set("score_windows", JSON.array(rules.windows).text, in: transaction)
        try await set("settings", definitions.settings.joined(separator: ","), in: transaction)
        try await set("setting_labels", DefinitionSettings.settingLabels(definitions).text, in: transaction)
    }

    /// Finds the time zones in use that the database does not know, and stores them in a setting. Statements return
    /// blank local times for them.
    static func findUnknownZones(
        _ filters: DatasetFilters, isPast: Bool = false, in transaction: Transaction
    ) async throws -> [String] {
        let unknown = try await transaction.query(
            statement("dataset_strange_zones", filters, isPast: isPast)
        )
        .map { try $0.get("zone", as: String.self) }
        try await set("strange_zones", unknown.joined(separator: ","), in: transaction)
        return unknown
    }

    static func set(_ name: String, _ value: String, in transaction: Transaction) async throws {
        _ = try await transaction.query(
            SQLFile.frame["dataset_set"], ["name": .text("saunter.\(name)"), "value": .text(value)])
    }

    /// Adds the common table expressions for included enrolments and stored rows to a statement. If the filters have
    /// dates, only the rows of these dates are included.
    ///
    /// The text with dates differs from the text without dates on purpose. A session keeps one plan per text, and a
    /// plan that is good for all rows is bad for the rows of one day.
    /// - Parameter isPast: whether the tables are read as they were at the instant in the setting `saunter.as_of`.
    static func statement(
        _ name: String, of file: SQLFile = .frame, _ filters: DatasetFilters = DatasetFilters(),
        isPast: Bool = false
    ) -> Statement {
        let sql = file[name].sql
        let (slice, rows) = filters.hasDates ? (["slice"], "sliced") : ([], "every")
        let materialized = (["included"] + slice).map {
            "\($0) as materialized (\n\(SQLFile.frame["dataset_\($0)"].sql)\n)"
        }
        let inlined = ["sheet", "score"].map {
            "stored_\($0) as not materialized (\n\(SQLFile.frame["dataset_\(rows)_\($0)"].sql)\n)"
        }
        let included = (materialized + inlined).joined(separator: ", ")
        let body = sql.hasPrefix("with ") ? ", " + sql.dropFirst("with ".count) : "\n" + sql
        let statement = Statement(name: name, sql: "with \(included)\(body)")
        return isPast ? PastTables.apply(to: statement) : statement
    }
}
