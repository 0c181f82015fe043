import Postgres
import SaunterCore

@testable import SaunterEvaluation

/// The tables that are written from stored sheets, made by the database alone: an expression for each cell, a row for each
/// answer, and sheets in scope found in one way whatever the dates.
enum TablesInSQL {
    /// The same table; nil for one that is not written from stored sheets.
    static func table(_ table: Table, _ definitions: StudyDefinitions) -> Table? {
        table.stored == nil ? nil : table.inExpressions(definitions, scope: scope)
    }

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
