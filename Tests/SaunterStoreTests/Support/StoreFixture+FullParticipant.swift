import Foundation
import Postgres
import SaunterCore

@testable import SaunterStore

extension StoreFixture {
    /// Somebody of whom every table of participants' data holds something.
    func makeFullParticipant(participant: String) async throws -> (account: AccountID, enrolment: Enrolment) {
        try await publish()
        let account = try await makeAccount()
        let enrolment = try await store.enrol(draft(account, participant: participant), now: .start).enrolment
        let id = enrolment.id
        _ = try await store.updateEnrolment(id, study: study, now: .start) { $0.pause = .begin }
        _ = try await store.updateEnrolment(id, study: study, now: Instant.start.plus(hours: 1)) {
            $0.pause = .end
        }
        let evening = try await evenings(of: id).first
        let sheet = SheetSubmission.make(id, evening?.id)
        _ = try await store.submit([sheet])
        _ = try await store.submit([sheet.with(body: "other")])
        let calibration = CalibrationID(UUID())
        try await calibrate(id, as: calibration)
        try await walk(id, calibration: calibration)
        try await observe(id)
        _ = try await store.submit([UsageFixture.make(id)])
        try await store.note(DeviceID(UUID()), of: id, sequences: [1], now: .start)
        try await keep(AmendmentFixture.make(SheetID(UUID()), .deletion), of: id)
        _ = try await store.record(
            StudyEvent(code: "home", update: .mutable), at: .start, of: id, study: study, now: .start)
        _ = try await store.changeArm(
            of: id, to: enrolment.arm == "control" ? "experimental" : "control", because: "Told by mistake.",
            by: account, study: study, requestID: nil, now: .start)
        // The next day's hour: that of the first has nothing due any more.
        let evenings = Instant.start.plus(hours: 35)
        if let occasion = try await self.evenings(of: id).first(where: { $0.completedAt == nil }) {
            let asked = occasion.window.openAt
            try await store.snooze(
                occasion.id, of: id, until: asked.adding(seconds: 600), study: study, now: asked)
        }
        let mail = Prompt(
            key: PromptKey(kind: .dueToday, subject: "2026-11-22", ordinal: 1), at: evenings,
            expiresAt: evenings.plus(hours: 5), occasions: [])
        if let claim = try await store.claimReminders(
            now: evenings, decide: { _ in ReminderDecision(next: nil, send: [mail]) }),
            let message = claim.message
        {
            _ = try await store.finish(
                message, message.keys, ReminderOutcome(.failed, replyCode: 550, isOfPerson: true),
                channel: "mail",
                now: evenings)
        }
        return (account, enrolment)
    }

    @discardableResult
    func calibrate(
        _ id: EnrolmentID, as calibration: CalibrationID = CalibrationID(UUID()), speed: Double = 5,
        recordedAt: Instant = .start, receivedAt: Instant? = nil, skewMs: Int64 = 0, digest: [UInt8] = [1]
    ) async throws -> StorageReceipt {
        let submission = CalibrationSubmission(
            study: study.code, enrolment: id, id: calibration,
            calibration: try Calibration(
                recordedAt: recordedAt, meanSpeedKmh: speed, reductionPercent: 20, durationS: 60, rule: nil),
            skewMs: skewMs, receivedAt: receivedAt ?? max(recordedAt, .start), digest: digest,
            body: "calibration")
        guard let receipt = try await store.submit([submission])[0] else { throw ErasedMeanwhile() }
        return receipt
    }

    @discardableResult
    func walk(
        _ id: EnrolmentID, as walk: WalkID = WalkID(UUID()), calibration: CalibrationID? = nil,
        endedAt: Instant = Instant.start.plus(hours: 2), digest: [UInt8] = [2]
    ) async throws -> StorageReceipt {
        try await hand(
            in: WalkFixture.make(id, walk, calibration: calibration, endedAt: endedAt, digest: digest))
    }

    /// Tables that name enrolments, found in the catalogue; the audit, which nobody erases, left out.
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

    /// One walk, as the queue writes it.
    func hand(in walk: WalkSubmission) async throws -> StorageReceipt {
        let receipts = try await store.submit([WalkArrival(submission: walk, study: study)])
        guard let receipt = receipts[0] else { throw ErasedMeanwhile() }
        return receipt
    }
}
