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
            let activeKeys = snapshot.definitions.activeScoringKeys
            let codes = snapshot.definitions.arms
            let arms =
                blindingSecret.map { ArmNames(blinding: codes, of: study, secret: $0) }
                ?? ArmNames(codes.filter { filters.arms.isEmpty || filters.arms.contains($0) })
            var analysed: [String: Set<UUID>] = [:]
            var instruments: [InstrumentReport] = []
            for history in snapshot.definitions.instruments {
                progress(history.code)
                try await DatasetSnapshot.set("instrument", history.code, in: transaction)
                let rows = try await transaction.query(Self.statement("report_sheets", [.sheetInScope]))
                for row in rows {
                    analysed[try row.get("arm"), default: []].insert(try row.get("enrolment_id"))
                }
                let sheets = try Self.sheets(rows, of: history, activeKeys, arms)
                for questionnaire in history.versions {
                    guard let found = sheets[questionnaire.version] else { continue }
                    instruments.append(InstrumentReport(found.keyed, found.sheets, arms: arms.names))
                }
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
