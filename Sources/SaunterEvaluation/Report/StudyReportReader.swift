import Foundation
import Postgres
import SaunterCore

/// Reads the data for a report of a study from one repeatable-read snapshot.
package struct StudyReportReader: Sendable {
    let pool: Pool

    /// - Parameter pool: connections of the role `saunter_export`, which cannot read identities.
    package init(pool: Pool) {
        self.pool = pool
    }

    /// Makes the report from every sheet that is neither a duplicate nor deleted. Each version of an instrument has a
    /// separate report and is scored with its active key. All sheets are kept in memory, as numbers.
    /// - Parameters:
    ///   - blindingSecret: the secret that orders the letters of arms; nil for a report with the codes of arms.
    ///   - now: the latest instant that the report may show; nil uses the clock of the database.
    ///   - progress: called before each instrument.
    /// - Throws: `DatasetFault`, `DatabaseError`.
    package func report(
        study: String, filters: DatasetFilters = DatasetFilters(), blindingSecret: [UInt8]? = nil,
        now: Instant? = nil,
        progress: @Sendable (String) -> Void = { _ in }
    ) async throws -> StudyReport {
        try await pool.read(isolation: .repeatableRead) { transaction in
            let snapshot = try await DatasetSnapshot.open(
                study, profile: .coded, filters: filters, secret: nil, now: now, in: transaction)
            let arms = Self.armNames(snapshot, blindingSecret)
            var analysed: [String: Set<UUID>] = [:]
            var instruments: [InstrumentReport] = []
            for history in snapshot.definitions.instruments {
                progress(history.code)
                let rows = try await Self.sheetRows(of: history, in: transaction)
                for row in rows {
                    analysed[try row.get("arm"), default: []].insert(try row.get("enrolment_id"))
                }
                instruments += try Self.reports(of: history, rows, snapshot, arms)
            }
            return StudyReport(
                study: study, asOf: snapshot.asOf, filters: filters,
                isBlinded: blindingSecret != nil,
                flow: try Self.flow(
                    await transaction.query(SQLFile.report["report_flow"]), arms,
                    erased: filters.arms.isEmpty
                        ? await transaction.query(SQLFile.report["report_erased"]).one().get("erased") : nil,
                    analysed: analysed.mapValues(\.count)),
                instruments: instruments,
                adherence: try Self.adherence(
                    await transaction.query(Self.statement("report_adherence", [.adherenceDaily]))),
                walks: try await transaction.query(
                    Self.statement("report_walks", [.includedWalk, .walkInScope])
                ).map {
                    try WalkPoint($0)
                })
        }
    }

    /// The largest number of sheets of one questionnaire that a server reads into its memory.
    package static let maximumSheets = 250_000

    /// Makes the reports of one questionnaire, one per version, for the whole study: the same as in `report`.
    /// - Parameters: as of `report`.
    /// - Throws: `CancellationError`; `DatasetFault`, also if the questionnaire has more than `maximumSheets` sheets;
    ///   `DatabaseError`.
    package func statistics(
        study: String, questionnaire: String, blindingSecret: [UInt8]? = nil, now: Instant? = nil
    ) async throws -> QuestionnaireStatistics {
        try await pool.read(isolation: .repeatableRead) { transaction in
            _ = try await transaction.query(SQLFile.frame["dataset_sparing"])
            let snapshot = try await DatasetSnapshot.open(
                study, profile: .coded, filters: DatasetFilters(questionnaires: [questionnaire]), secret: nil,
                now: now, in: transaction)
            let count = try snapshot.shapes.reduce(0) { try $0 + $1.get("sheets", as: Int.self) }
            guard count <= Self.maximumSheets else {
                throw DatasetFault.tooManySheets(
                    count, questionnaire: questionnaire, maximum: Self.maximumSheets)
            }
            let arms = Self.armNames(snapshot, blindingSecret)
            var instruments: [InstrumentReport] = []
            for history in snapshot.definitions.instruments {
                let rows = try await Self.sheetRows(of: history, in: transaction)
                instruments += try Self.reports(of: history, rows, snapshot, arms)
            }
            return QuestionnaireStatistics(
                asOf: snapshot.asOf, state: snapshot.state, instruments: instruments)
        }
    }

    /// Records in the audit log that an operator made a report at the command line.
    package func record(_ report: StudyReport) async throws {
        let detail: JSON = [
            "as_of": .optional(report.asOf) { .string($0.description) }, "sheets": .int(report.sheetCount),
            "filters": .optional(report.filters, \.json), "blinded": .bool(report.isBlinded),
        ]
        _ = try await pool.query(
            SQLFile.report["record_report"],
            ["study": .text(report.study ?? ""), "detail": .jsonb(detail.text)])
    }

    /// The names of the arms that the report contains.
    private static func armNames(_ snapshot: DatasetSnapshot, _ blindingSecret: [UInt8]?) -> ArmNames {
        let definitions = snapshot.definitions
        let codes = definitions.arms
        let wanted = snapshot.filters.arms
        return blindingSecret.map { ArmNames(blinding: codes, of: definitions.code, secret: $0) }
            ?? ArmNames(codes.filter { wanted.isEmpty || wanted.contains($0) })
    }

    /// The stored sheets of one instrument that count.
    private static func sheetRows(
        of history: InstrumentHistory, in transaction: Transaction
    ) async throws -> Rows {
        try await DatasetSnapshot.set("instrument", history.code, in: transaction)
        return try await transaction.query(statement("report_sheets", [.sheetInScope]))
    }

    /// The reports of the versions that have sheets.
    private static func reports(
        of history: InstrumentHistory, _ rows: Rows, _ snapshot: DatasetSnapshot, _ arms: ArmNames
    ) throws -> [InstrumentReport] {
        let sheets = try sheets(rows, of: history, snapshot.definitions.activeScoringKeys, arms)
        return try history.versions.compactMap { questionnaire in
            try sheets[questionnaire.version].map {
                try InstrumentReport($0.keyed, $0.sheets, arms: arms.names)
            }
        }
    }

    /// Decodes the sheets by version.
    private static func sheets(
        _ rows: Rows, of history: InstrumentHistory, _ activeKeys: ActiveScoringKeys, _ arms: ArmNames
    ) throws -> [String: (keyed: KeyedItems, sheets: [ReportSheet])] {
        let readers = Dictionary(
            uniqueKeysWithValues: history.versions.map {
                (
                    $0.version,
                    (keyed: KeyedItems(activeKeys.keyed($0)), codec: AnswerCodec($0), texts: $0.presentTexts)
                )
            })
        var found: [String: (keyed: KeyedItems, sheets: [ReportSheet])] = [:]
        for row in rows {
            try Task.checkCancellation()
            let version = try row.get("version", as: String.self)
            guard let reader = readers[version] else {
                throw DatasetFault.damaged(["\(history.code) \(version), which the study never published"])
            }
            var sheet = try ReportSheet(row, arms)
            let stored = try StoredAnswers(
                slots: row.get("slots"), numbers: row.get("numbers"), texts: reader.texts)
            do throws(StoredAnswersFault) {
                reader.keyed.storeNumbers(of: try reader.codec.decode(stored, isPartial: true), in: &sheet)
            } catch {
                throw DatasetFault.damaged(["\(history.code) \(version) sheet \(sheet.id): \(error)"])
            }
            found[version, default: (reader.keyed, [])].sheets.append(sheet)
        }
        return found
    }

    /// - Parameters:
    ///   - rows: the participants of each arm that has any.
    ///   - analysed: the participants with a sheet in the report, by code of arm.
    private static func flow(
        _ rows: Rows, _ arms: ArmNames, erased: Int?, analysed: [String: Int]
    ) throws -> ParticipantFlow {
        let found = try rows.map { row -> ParticipantFlow.Arm in
            let code: String = try row.get("arm")
            return ParticipantFlow.Arm(
                name: arms[code] ?? "", allocated: try row.get("allocated"), stopped: try row.get("stopped"),
                excluded: try row.get("excluded"), analysed: analysed[code] ?? 0)
        }
        return ParticipantFlow(
            arms: arms.names.map { name in
                found.first { $0.name == name }
                    ?? ParticipantFlow.Arm(name: name, allocated: 0, stopped: 0, excluded: 0)
            }, erased: erased)
    }

    private static func adherence(_ rows: Rows) throws -> AdherenceGrid {
        var participants: [(pseudonym: String, days: [Int: AdherenceGrid.Cell])] = []
        for row in rows {
            let pseudonym = try row.get("participant_id", as: String.self)
            if participants.last?.pseudonym != pseudonym { participants.append((pseudonym, [:])) }
            participants[participants.count - 1].days[try row.get("study_day")] = AdherenceGrid.Cell(
                due: try row.get("due"), done: try row.get("done"), late: try row.get("late"))
        }
        return AdherenceGrid(participants: participants)
    }

    /// A statement of a report, with its common table expressions.
    private static func statement(_ name: String, _ ctes: [Table.CTE]) -> Statement {
        let with = ([.included] + ctes).map { cte in
            "\(cte.name) as \(cte.isMaterialized ? "materialized " : "")(\n\(cte.statement.sql)\n)"
        }
        return Statement(
            name: name, sql: "with \(with.joined(separator: ",\n"))\n\(SQLFile.report[name].sql)")
    }
}

extension Table.CTE {
    fileprivate static let adherenceDaily = Table.CTE(
        name: "adherence_daily", statement: SQLFile.people["dataset_adherence_daily"])
    fileprivate static let walkInScope = Table.CTE(
        name: "walk_in_scope", statement: SQLFile.walks["dataset_walks"])
}

extension ActiveScoringKeys {
    /// The questionnaire with its active scoring key and with the options that this key scores.
    fileprivate func keyed(_ questionnaire: Questionnaire) -> Questionnaire {
        guard let rule = self[questionnaire.code, questionnaire.version] else { return questionnaire }
        var keyed = rule.keyed
        keyed.version = questionnaire.version
        return keyed
    }
}

extension Questionnaire {
    /// Free text does not affect scores and is not read. Each text item counts as answered.
    fileprivate var presentTexts: [String: String] {
        Dictionary(
            questions.filter { $0.type.form == .text }.map { ($0.linkId, "") },
            uniquingKeysWith: { first, _ in first })
    }
}

extension ReportSheet {
    fileprivate init(_ row: Row, _ arms: ArmNames) throws {
        let began = try row.timestampOptional("started_at").map { Instant(milliseconds: $0) }
        let ended = try row.timestampOptional("completed_at").map { Instant(milliseconds: $0) }
        self.init(
            id: "S" + (try row.get("sheet_id", as: UUID.self)).uuidString.lowercased(),
            pseudonym: try row.get("participant_id"), arm: arms[try row.get("arm")],
            day: try row.getOptional("study_day"),
            seconds: Self.seconds(from: began, to: ended), startedAt: began, completedAt: ended)
    }
}

extension WalkPoint {
    fileprivate init(_ row: Row) throws {
        self.init(
            pseudonym: try row.get("participant_id"), day: try row.get("study_day"),
            meanSpeed: try row.getOptional("mean_speed_kmh"),
            targetSpeed: try row.getOptional("target_speed_kmh"),
            meanHeartRate: try row.getOptional("mean_hr_bpm"), activeSeconds: try row.getOptional("active_s"))
    }
}
