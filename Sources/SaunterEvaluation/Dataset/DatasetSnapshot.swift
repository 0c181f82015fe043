import Postgres
import SaunterCore

/// What is true of a whole dataset, found at the beginning of its transaction: the definitions, the moment,
/// and how many people are in and out.
struct DatasetSnapshot {
    let profile: DatasetProfile
    let definitions: StudyDefinitions
    /// The moment that everything is told as of.
    let asOf: Instant
    /// Zones that the database does not know: wall clocks in them are blank.
    let strangeZones: [String]
    let people: DatasetPeople
    /// What it follows from.
    let state: DatasetState
    /// How many sheets there are of each version of each questionnaire; rows of `dataset_shapes`.
    let shapes: Rows

    /// Reads the definitions and puts the settings of the transaction.
    /// - Parameters:
    ///   - secret: what a study's pseudonyms follow from, where the profile makes new ones.
    ///   - now: the moment beyond which nothing is told; nil is the database's clock.
    static func open(
        _ study: String, profile: DatasetProfile, filters: DatasetFilters,
        secret: (@Sendable (_ study: String) -> [UInt8])?, now: Instant?, in transaction: Transaction
    ) async throws -> DatasetSnapshot {
        if let fault = filters.fault(with: profile) { throw fault }
        let frame = SQLFile.frame
        let rows = try await transaction.query(frame["dataset_versions"], [.text(study)])
        let all = try StudyDefinitions.read(study, rows: rows)
        try filters.check(against: all)
        let definitions = all.keeping(filters.questionnaires)
        try await begin(definitions, filters, in: transaction)
        let strange = try await guardZones(in: transaction)
        let clock = try await transaction.query(frame["dataset_clock"]).one().timestamp("now")
        let until = now ?? Instant(milliseconds: clock)
        let asOf = try await transaction.query(
            framed("dataset_as_of"), [.timestamp(milliseconds: until.milliseconds)]
        ).one().timestamp("as_of")
        let moment = Instant(milliseconds: asOf)
        try await set("as_of", moment.description, in: transaction)
        let shapes = try await transaction.query(framed("dataset_shapes"))
        try StoredShapes(definitions).check(shapes)
        let people = try await DatasetPeople(transaction.query(framed("dataset_people")).one())
        if profile == .deidentified {
            guard let secret else { throw DatasetFault.noSecret(profile) }
            let key = ReleaseKey(
                secret: secret(study), study: study, profile: profile, asOf: moment, filters: filters)
            for (name, value) in key.settings { try await set(name, value, in: transaction) }
        }
        try await set("least_people", String(DatasetProfile.leastPeople), in: transaction)
        return DatasetSnapshot(
            profile: profile, definitions: definitions, asOf: moment, strangeZones: strange, people: people,
            state: try await DatasetState.read(study, now: until, in: transaction), shapes: shapes)
    }

    /// About how many rows its tables have.
    func estimate(_ tables: [Table], in transaction: Transaction) async throws -> RowEstimate {
        try RowEstimate(
            definitions, tables, sizes: try await transaction.query(Self.framed("dataset_sizes")).one(),
            shapes: shapes)
    }

    /// Puts the settings that every statement reads.
    static func begin(
        _ definitions: StudyDefinitions, _ filters: DatasetFilters, in transaction: Transaction
    ) async throws {
        _ = try await transaction.query(
            SQLFile.frame["dataset_begin"],
            [
                .text(definitions.code), .text(filters.arms.joined(separator: ",")),
                .text(definitions.instruments.map(\.code).joined(separator: ",")),
                .text(filters.from?.description ?? "-infinity"), .text(filters.to?.description ?? "infinity"),
                .text(DefinitionPlaces.json(definitions).text),
                .text(DefinitionPlaces.days(definitions).text),
            ])
        let rules = ScoreRules(definitions)
        try await set("score_changes", JSON.array(rules.changes).text, in: transaction)
        try await set("score_windows", JSON.array(rules.windows).text, in: transaction)
    }

    /// The zones in use that the database does not know; from here on they are passed over.
    static func guardZones(in transaction: Transaction) async throws -> [String] {
        let strange = try await transaction.query(framed("dataset_strange_zones"))
            .map { try $0.get("zone", as: String.self) }
        try await set("strange_zones", strange.joined(separator: ","), in: transaction)
        return strange
    }

    static func set(_ name: String, _ value: String, in transaction: Transaction) async throws {
        _ = try await transaction.query(
            SQLFile.frame["dataset_set"], [.text("saunter.\(name)"), .text(value)])
    }

    /// A statement about those who are included, or about the sheets of the dates that are asked for.
    static func framed(_ name: String, of file: SQLFile = .frame) -> Statement {
        let sql = file[name].sql
        let included =
            "included as materialized (\n\(SQLFile.frame["dataset_included"].sql)\n), "
            + "slice as (\n\(SQLFile.frame["dataset_slice"].sql)\n)"
        let body = sql.hasPrefix("with ") ? ", " + sql.dropFirst("with ".count) : "\n" + sql
        return Statement(name: name, sql: "with \(included)\(body)")
    }
}

/// How many people a dataset is of, and how many it leaves out.
package struct DatasetPeople: Sendable, Hashable {
    package let enrolments: Int
    package let excluded: Int
    package let erased: Int
    package let deletedWalks: Int

    /// As a profile tells them: in counts for everybody, a number of few people is held back.
    func json(_ profile: DatasetProfile) -> JSON {
        func count(_ people: Int) -> JSON {
            profile == .public && (1..<DatasetProfile.leastPeople).contains(people) ? .null : .int(people)
        }
        return [
            "enrolments": count(enrolments), "excluded_enrolments": count(excluded),
            "erased_people": count(erased), "deleted_walks": count(deletedWalks),
        ]
    }

    init(_ row: Row) throws {
        enrolments = try row.get("enrolments")
        excluded = try row.get("excluded")
        erased = try row.get("erased")
        deletedWalks = try row.get("deleted_walks")
    }
}
