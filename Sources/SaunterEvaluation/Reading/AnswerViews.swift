import Postgres
import SaunterCore

/// The views of the schema `answers`, for people who query the database: one per published instrument version, with a
/// typed column per item. `docs/operations.md` describes them.
package enum AnswerViews {
    /// Creates the views of published versions that have none.
    /// - Parameter pool: its role may create views in `answers`.
    /// - Returns: the number of new views.
    /// - Throws: `DatabaseError`; or, after the views of all other studies, `DatasetFault` if a version is unreadable.
    @discardableResult
    package static func createMissing(in pool: Pool) async throws -> Int {
        let studies: [String] = try await pool.query(SQLFile.readers["reading_studies_without_views"])
            .map { try $0.get("study") }
        var created = 0
        var unreadable: DatasetFault?
        for study in studies {
            let rows = try await pool.query(SQLFile.frame["dataset_versions"], ["study": .text(study)])
            let definitions: StudyDefinitions
            do {
                definitions = try StudyDefinitions.read(study, rows: rows)
            } catch let fault as DatasetFault {
                unreadable = fault
                continue
            }
            created += try await pool.write { transaction in
                _ = try await transaction.query(SQLFile.readers["reading_lock_views"])
                var present = Set<String>()
                for row in try await transaction.query(SQLFile.readers["reading_views"]) {
                    present.insert(try row.get("name"))
                }
                var created = 0
                for questionnaire in definitions.instruments.flatMap(\.versions)
                where present.insert(name(of: questionnaire)).inserted {
                    try await transaction.execute(script: script(for: questionnaire))
                    created += 1
                }
                return created
            }
        }
        if let unreadable { throw unreadable }
        return created
    }

    /// The code and the version, such as `audit_c_1_0_0`.
    static func name(of questionnaire: Questionnaire) -> String {
        ([questionnaire.code] + questionnaire.version.split(separator: ".").map(String.init))
            .joined(separator: "_")
    }

    /// Each column is an SQL expression over the sheet `r` and its enrolment.
    private static let sheetColumns = [
        ("study", "enrolment.study"), ("participant_id", "enrolment.participant_id"),
        ("arm", "enrolment.arm"),
        ("enrolment_id", "r.enrolment_id"), ("sheet_id", "r.sheet_id"), ("occasion_id", "r.occasion_id"),
        ("rev", "r.revision"),
        ("counts", "r.current and r.deleted_at is null and r.duplicate_of is null"),
        ("submitted_at", "research.corrected_at(r.completed_at, r.skew_ms)"),
        ("submitted_on", "research.local_date(r.completed_at, r.completed_offset_min, r.skew_ms)"),
        ("standing", "r.standing"),
    ]

    /// A wider view has its first columns only. PostgreSQL's limit is 1,664.
    private static let maximumColumns = 1600

    /// The script that creates the view of one version and lets the role of exports read it.
    static func script(for questionnaire: Questionnaire) -> String {
        var columns = sheetColumns
        var taken = Set(columns.map(\.0) + WideTables.sheetColumns.map(\.name))
        @discardableResult
        func add(_ name: String, _ expression: String) -> String {
            let name = ColumnName.free(name, taken: taken)
            taken.insert(name)
            columns.append((name, expression))
            return name
        }
        let codec = AnswerCodec(questionnaire)
        let instrument = InstrumentHistory(code: questionnaire.code, published: [questionnaire])
        for history in instrument.items {
            let item = history.newest
            var reasonName = item.linkId
            for (name, expression) in ownTableValues(item, codec) { add(name, expression) }
            for option in history.isCoded ? history.columnOptions : [] {
                let name = add(
                    item.linkId + (option.map { "__\($0.text)" } ?? ""),
                    value(history, option, codec, version: questionnaire.version))
                if option == nil { reasonName = name }
            }
            add(
                "\(reasonName)__missing",
                CellExpression(history: history, option: history.columnOptions[0])
                    .reason(versions: [questionnaire.version]))
        }
        let list = columns.prefix(maximumColumns).map { "  \($0.1) as \(SQLText.identifier($0.0))" }.joined(
            separator: ",\n")
        let view = "answers.\"\(name(of: questionnaire))\""
        return """
            create view \(view) as
            select
            \(list)
            from research.answer_sheet r
            join research.enrolment using (enrolment_id)
            where r.questionnaire = \(SQLText.literal(questionnaire.code))
              and r.version = \(SQLText.literal(questionnaire.version));
            grant select on \(view) to saunter_export;
            """
    }

    /// Like the cell of a wide file, but yes and no are booleans, and an instant is a `timestamptz`.
    private static func value(
        _ history: ItemHistory, _ option: OptionValue?, _ codec: AnswerCodec, version: String
    ) -> String {
        let cell = CellExpression(history: history, option: option).value(versions: [version])
        let item = history.newest
        if history.isCounted { return cell }
        if item.type.form == .truth || item.type.form == .options && option != nil { return "(\(cell)) = 1" }
        guard item.type.definition.column == .instant else { return cell }
        return "to_timestamp(r.numbers[\((codec.numberIndex(of: item.linkId) ?? 0) + 1)] / 1000)"
    }

    /// The values of texts and locations, which wide files do not contain.
    private static func ownTableValues(_ item: Item, _ codec: AnswerCodec) -> [(String, String)] {
        guard item.hasOwnTable, !item.isList else { return [] }
        if item.type.form == .location {
            let first = codec.numberIndex(of: item.linkId) ?? 0
            return ["lat", "lon", "accuracy_m"].enumerated().map { index, part in
                ("\(item.linkId)__\(part)", "r.numbers[\(first + index + 1)]")
            }
        }
        let text = """
            (select answer.text from research.answer_text answer
                where answer.enrolment_id = r.enrolment_id and answer.sheet_id = r.sheet_id
                  and answer.revision = r.revision and answer.item = \(SQLText.literal(item.linkId)))
            """
        return [(item.linkId, text)]
    }
}
