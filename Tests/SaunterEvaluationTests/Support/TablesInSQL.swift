import Postgres
import SaunterCore

@testable import SaunterEvaluation

/// The tables that are written from stored sheets, made by the database alone: an expression for each cell, a row for each
/// answer, and sheets in scope found in one way whatever the dates.
enum TablesInSQL {
    /// The same table; nil for one that is not written from stored sheets.
    static func table(_ table: Table, _ definitions: StudyDefinitions) -> Table? {
        guard let stored = table.stored else { return nil }
        let heads = Array(table.columns.prefix(stored.heads))
        guard let history = definitions.instruments.first(where: { $0.code == table.instrument }) else {
            return Table(
                table.name, table.title, key: table.key, statement: SQLFile.sheets["dataset_answers"],
                frames: [scope, .definition, answeredSheet], columns: [heads, answerColumns])
        }
        let versions = history.versions.map(\.version)
        let cells = history.items.filter(\.isCoded).flatMap { item in
            item.isMultiple
                ? item.options.map { CellInSQL(history: item, option: $0.value) }
                : [CellInSQL(history: item, option: nil)]
        }
        let columns = zip(table.columns.dropFirst(stored.heads), cells).map { column, cell in
            let isMask = table.name.hasSuffix("_missing")
            return Column(
                column.name, column.type,
                .expression(isMask ? cell.reason(versions: versions) : cell.value(versions: versions)),
                column.label)
        }
        return Table(
            table.name, table.title, key: table.key, statement: SQLFile.sheets["dataset_wide"],
            frames: [scope], instrument: history.code, columns: [heads, columns])
    }

    private static let answerColumns = [
        Column("item", .string, ""),
        Column("option", .string, .expression("nullif(r.option, '')"), ""),
        Column("type", .string, ""),
        Column("value", .string, .answer, ""),
        Column("missing", .string, ""),
    ]

    private static let answeredSheet = Table.Frame(
        name: "answered_sheet",
        statement: Statement(
            name: "answered_sheet", sql: "select * from sheet_in_scope where deleted_at is null"))

    private static let scope = Table.Frame(
        name: "sheet_in_scope",
        statement: Statement(
            name: "sheet_in_scope",
            sql: """
                select
                  included.participant_id,
                  included.arm,
                  occasion.schedule,
                  day.local_date - included.enrolled_on as study_day,
                  sheet.duplicate_of is null and sheet.deleted_at is null as counts,
                  sheet.enrolment_id,
                  sheet.sheet_id,
                  sheet.revision,
                  sheet.occasion_id,
                  sheet.questionnaire,
                  sheet.version,
                  sheet.study_version,
                  sheet.consent_version,
                  sheet.language,
                  sheet.started_at + sheet.skew_ms * interval '1 millisecond' as started_at,
                  sheet.completed_at + sheet.skew_ms * interval '1 millisecond' as completed_at,
                  sheet.received_at,
                  sheet.zone,
                  sheet.started_offset_min,
                  sheet.completed_offset_min,
                  sheet.skew_ms,
                  sheet.standing,
                  sheet.late_s,
                  sheet.flags,
                  sheet.completes,
                  sheet.duplicate_of,
                  sheet.walk_id,
                  sheet.slots,
                  sheet.numbers,
                  sheet.cleared,
                  sheet.revised_at,
                  sheet.revision_reason,
                  sheet.deleted_at
                from research.answer_sheet sheet
                join included using (enrolment_id)
                left join research.occasion occasion using (enrolment_id, occasion_id)
                cross join lateral (
                  select coalesce(
                    occasion.local_date,
                    (sheet.completed_at at time zone 'UTC'
                      + make_interval(mins => sheet.completed_offset_min, secs => sheet.skew_ms / 1000.0))::date) as local_date
                ) as day
                where sheet.current
                  and sheet.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
                  and day.local_date between included.from_date and included.to_date
                """))
}
