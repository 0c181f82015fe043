import SaunterCore

/// `panel.csv`: one row per planned occasion, with arm, phase, day, status, scores and answers, so that a model of
/// repeated measures needs no join. The columns of an instrument are blank in rows of other instruments.
struct PanelTable {
    static let name = "panel"

    /// A column of answers of one instrument.
    private struct AnswerColumn {
        let column: Column
        let instrument: String
        let itemColumn: WideTables.ItemColumn
    }

    let definitions: StudyDefinitions

    init(of definitions: StudyDefinitions) {
        self.definitions = definitions
    }

    /// - Parameter maximumColumns: if there would be more columns, the answers are left out; they are in the wide
    ///   files.
    func table(maximumColumns: Int) -> Table {
        var taken = Set(Self.occasionColumns.map(\.name))
        let scores = scoreColumns(&taken)
        var answers = answerColumns(&taken)
        if Self.occasionColumns.count + scores.count + answers.count > maximumColumns { answers = [] }
        let layout = StoredLayout(
            versions: definitions.instruments.flatMap { instrument in
                instrument.versions.map { questionnaire in
                    StoredLayout.Version(
                        questionnaire: questionnaire,
                        lines: [StoredLayout.Line(cells: answers.map { cell($0, instrument, questionnaire) })]
                    )
                }
            }, sheetColumnCount: Self.occasionColumns.count + scores.count,
            versionColumns: ["instrument", "version"],
            includesRowsWithoutSheet: true)
        return Table(
            Self.name, "Panel for analyses: one row per planned occasion, with its answers and scores",
            key: ["enrolment_id", "occasion_id"], statement: SQLFile.panel["dataset_panel"],
            ctes: [
                .sheetInScope, .presentScore, .datedEvent, .phase,
                Table.CTE(name: "planned_occasion", statement: SQLFile.people["dataset_occasions"]),
                Table.CTE(name: "score_by_sheet", statement: SQLFile.panel["dataset_score_by_sheet"]),
            ], foreignKeys: [.enrolment, .occasion], stored: layout,
            columns: [Self.occasionColumns, scores, answers.map(\.column)])
    }

    private static let occasionColumns: [Column] =
        [
            .id("occasion_id", "O", "Occasion"), .enrolment, .participant, .arm,
            Column(
                "phase", .string, "Phase of the schedule, or else the phase that contains the local date",
                source: .design),
            Column("instrument", .string, "Instrument that was planned", source: .design),
            Column("version", .string, "Version of the instrument on the sheet", source: .design),
            Column("schedule", .string, "Schedule that planned it", source: .design),
            .studyDay, .weekday,
            Column(
                "beep", .integer,
                "Number of the occasion among those of its schedule on this local date, from 1",
                source: .design),
            .date("local_date", "Local date that it belongs to"),
            .clock("opens", "Window opens (inclusive)"), .clock("due", "Due (inclusive)"),
            .clock("closes", "Window closes (exclusive)"),
            Column(
                "status", .string, "State at the snapshot's moment", valueSet: "occasion_status",
                source: .derived),
            Column(
                "missing", .string, "Why it has no sheet, if its participant deleted the one that it had",
                valueSet: "missing", source: .derived),
            .id("answered_by", "S", "Sheet that counts for it"), .timeliness,
        ]
        + Column.instant(
            "submitted", "Sheet was completed, by the corrected clock", hasOffset: true, source: .device)
        + [
            Column("late_s", .integer, "Seconds after due", unit: "s", source: .derived),
            Column(
                "duration_s", .number, "Completion minus beginning of the sheet", unit: "s", source: .derived),
        ]

    /// One column per instrument and scale of its active keys.
    private func scoreColumns(_ taken: inout Set<String>) -> [Column] {
        var columns: [Column] = []
        for instrument in definitions.instruments {
            let title = WideTables(of: instrument).title
            for scale in definitions.scales(of: instrument) {
                let name = ColumnName.free("\(instrument.code)_\(scale)", taken: taken)
                taken.insert(name)
                columns.append(
                    Column(
                        name, .number, .expression(Self.only(instrument, Column.scoreExpression(scale))),
                        "Score \(scale) of \(title)",
                        source: .derived))
            }
        }
        return columns
    }

    private func answerColumns(_ taken: inout Set<String>) -> [AnswerColumn] {
        var columns: [AnswerColumn] = []
        for instrument in definitions.instruments {
            let wide = WideTables(of: instrument)
            let described = wide.values.columns.suffix(wide.itemColumns.count)
            for (itemColumn, wideColumn) in zip(wide.itemColumns, described) {
                let name = ColumnName.free("\(instrument.code)_\(wideColumn.name)", taken: taken)
                taken.insert(name)
                var column = Column(
                    name, wideColumn.type, .stored, wideColumn.label, unit: wideColumn.unit,
                    valueSet: wideColumn.valueSet, source: .answer, item: itemColumn.history)
                column.option = itemColumn.option
                columns.append(
                    AnswerColumn(column: column, instrument: instrument.code, itemColumn: itemColumn))
            }
        }
        return columns
    }

    private func cell(
        _ column: AnswerColumn, _ instrument: InstrumentHistory, _ questionnaire: Questionnaire
    ) -> StoredCell {
        guard column.instrument == instrument.code else { return .fixed(nil) }
        return column.itemColumn.value(
            in: column.itemColumn.history.appearances.first { $0.version == questionnaire.version })
    }

    /// The SQL expressions of the columns of answers, in their order.
    var answerExpressions: [String] {
        definitions.instruments.flatMap { instrument in
            WideTables(of: instrument).itemColumns.map { itemColumn in
                let cell = CellExpression(history: itemColumn.history, option: itemColumn.option)
                return Self.only(instrument, cell.value(versions: instrument.versions.map(\.version)))
            }
        }
    }

    /// An SQL expression that is null in rows of other instruments.
    private static func only(_ instrument: InstrumentHistory, _ value: String) -> String {
        "case when r.instrument = \(SQLText.literal(instrument.code)) then \(value) end"
    }
}

extension Column {
    /// The SQL expression of a score in a row whose field `scores` has the known scores of its sheet.
    static func scoreExpression(_ scale: String) -> String {
        "(r.scores ->> \(SQLText.literal(scale)))::double precision"
    }

    /// A local time without its instant and zone, which `occasions` contains.
    fileprivate static func clock(_ name: String, _ label: String) -> Column {
        Column(
            "\(name)_local", .local, .local(name, hasOffset: false), "\(label), wall clock", source: .derived)
    }
}
