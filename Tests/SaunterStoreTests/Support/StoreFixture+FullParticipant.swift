import Foundation
import Postgres
import SaunterCore

@testable import SaunterStore

extension StoreFixture {
    /// A participant with rows in every table of participants' data.
    func makeFullParticipant(participant: String) async throws -> (account: AccountID, enrolment: Enrolment) {
        try await publish()
        let account = try await makeAccount()
        var draft = draft(account, participant: participant)
        draft.code = try await makeEnrolmentCode()
        draft.dataKinds = ["location"]
        let enrolment = try await store.enrol(draft, now: .start).enrolment
        let id = enrolment.id
        _ = try await store.updateEnrolment(id, study: study, now: .start) { $0.pause = .begin }
        _ = try await store.updateEnrolment(id, study: study, now: Instant.start.plus(hours: 1)) {
            $0.pause = .end
        }
        let evening = try await evenings(of: id).first
        let sheet = SheetSubmission.make(id, evening?.id)
        _ = try await store.submit([sheet])
        _ = try await store.submit([sheet.with(body: "other")])
        try await run(
            """
            insert into research.rescored_sheet (enrolment_id, sheet_id, revision, key_id, scored_at, score_values, score_counts)
            select enrolment_id, sheet_id, revision, key_id, scored_at + interval '1 day', score_values, score_counts
            from research.answer_sheet where sheet_id = '\(sheet.sheet)'
            """)
        let calibration = CalibrationID(UUID())
        try await submitCalibration(id, as: calibration)
        try await submitWalk(id, calibration: calibration)
        try await submitObservation(id)
        _ = try await store.submit([UsageFixture.make(id)])
        try await store.recordSequences(DeviceID(UUID()), of: id, sequences: [1], now: .start)
        try await submitEdit(EditFixture.make(SheetID(UUID()), .deletion), of: id)
        _ = try await store.record(
            StudyEvent(code: "home", update: .mutable), at: .start, of: id, study: study, now: .start)
        _ = try await store.changeArm(
            of: id, to: enrolment.arm == "control" ? "experimental" : "control",
            because: "Assigned by mistake.",
            by: account, study: study, requestID: nil, now: .start)
        _ = try await store.unblind(
            id, because: "Admitted to hospital.", by: account, requestID: nil, now: .start)
        // The evening of the next day, because nothing is due on the first day any more.
        let evenings = Instant.start.plus(hours: 35)
        if let occasion = try await self.evenings(of: id).first(where: { $0.completedAt == nil }) {
            let asked = occasion.window.openAt
            try await store.snooze(
                occasion.id, of: id, until: asked.adding(seconds: 600), study: study, now: asked)
        }
        let mail = Reminder(
            key: ReminderKey(kind: .dueToday, subject: "2026-11-22", ordinal: 1), at: evenings,
            expiresAt: evenings.plus(hours: 5), occasions: [])
        if let claim = try await store.claimReminders(
            now: evenings, decide: { _ in ReminderDecision(next: nil, send: [mail]) }),
            let message = claim.message
        {
            _ = try await store.finish(
                message, message.keys, ReminderOutcome(.failed, replyCode: 550, isRecipientFault: true),
                channel: "mail",
                now: evenings)
        }
        _ = try await store.give(
            "premium", to: id, until: nil, why: "A prize.", audit: Self.entry("entitlement_given"),
            now: .start)
        try await makeDecisions(of: id)
        return (account, enrolment)
    }

    /// A selected item, a decision with its message, an alert, and an award.
    private func makeDecisions(of id: EnrolmentID) async throws {
        try await run(
            """
            with selected as (
            insert into research.content_selection (enrolment_id, collection, selector, slot, item, edition, selected_at)
            values ('\(id)', 'quotes', 'daily', '2026-11-21', 'first', 1, '2026-11-21T08:00:00Z')), decided as (
            insert into research.decision (enrolment_id, rule, point, key, study_version, moment, decided_at, outcome, available,
              variables, message_id)
            values ('\(id)', 'hello', '2026-11-21#1', '', '1.0.0', '2026-11-21T08:00:00Z', '2026-11-21T08:00:01Z', 'message',
              true, '{"mood": 3}', '0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40')), written as (
            insert into research.inbox_message (enrolment_id, message_id, rule, created_at, expires_at, subject, body,
              counts_for_day)
            values ('\(id)', '0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40', 'hello', '2026-11-21T08:00:01Z', '2026-11-22T08:00:00Z',
              'Hello', 'How are you?', true))
            , alerted as (
            insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, notices, acknowledged_at, note)
            values ('\(id)', '0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f41', 'hello', 'self_harm', '2026-11-21T08:00:01Z', 1,
              '2026-11-21T08:10:00Z', 'Called back'))
            insert into research.award (enrolment_id, award, ordinal, rule, awarded_at)
            values ('\(id)', 'champion', 1, 'hello', '2026-11-21T08:00:01Z')
            """)
    }

    /// Tables with a column `enrolment_id`, read from the catalogue, without the audit, which is never erased.
    func participantTables() async throws -> [String] {
        try await values(
            """
            select format('%I.%I', table_schema, table_name) as value
            from information_schema.columns join information_schema.tables using (table_catalog, table_schema, table_name)
            where table_schema in ('identity', 'research') and column_name = 'enrolment_id' and table_type = 'BASE TABLE'
            order by 1
            """)
    }

    func rows(of id: EnrolmentID, in table: String) async throws -> Int {
        try await value("select count(*) as value from \(table) where enrolment_id = $1", [.id(id)])
    }

}
