import Postgres
import SaunterCore

extension Store {
    /// Stores calibrations in one transaction. The same body again is a replay. Another body under the same id is
    /// quarantined. Idempotent.
    /// - Returns: one receipt each, in order; nil if the enrolment was erased.
    func submit(_ calibrations: [CalibrationSubmission]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            let (enrolments, receipts) = try await Self.write(
                calibrations.map(Self.record), in: transaction)
            try await Self.calibrateWalks(of: enrolments.keys.sorted(), in: transaction)
            return receipts
        }
    }

    private static func record(of submission: CalibrationSubmission) -> ClientRecord {
        let calibration = submission.calibration
        return ClientRecord(
            enrolment: submission.enrolment, id: submission.id.uuid, kind: "calibration",
            insert: (
                Statements.walks["insert_calibration"],
                [
                    "enrolment_id": .id(submission.enrolment), "calibration_id": .id(submission.id),
                    "recorded_at": .instant(calibration.recordedAt),
                    "received_at": .instant(submission.receivedAt),
                    "mean_speed_kmh": .float8(calibration.meanSpeedKmh),
                    "reduction_percent": .float8(calibration.reductionPercent),
                    "duration_s": .float8(calibration.durationS),
                    "target_speed_kmh": .float8(calibration.targetSpeedKmh),
                    "body_sha256": .bytes(submission.digest), "skew_ms": .int8(submission.skewMs),
                ]
            ), digest: submission.digest, body: submission.body, receivedAt: submission.receivedAt)
    }

    /// One calibration by its id.
    package func findCalibration(_ enrolment: EnrolmentID, _ id: CalibrationID) async throws
        -> StoredCalibration?
    {
        try await research.query(
            Statements.walks["find_calibration"], ["enrolment_id": .id(enrolment), "calibration_id": .id(id)]
        )
        .oneOrNone().map(StoredCalibration.init)
    }

    /// The calibration that was active at an instant.
    package func findCalibration(_ enrolment: EnrolmentID, at moment: Instant) async throws
        -> StoredCalibration?
    {
        try await research.query(
            Statements.walks["find_calibration_at"], ["enrolment_id": .id(enrolment), "at": .instant(moment)]
        )
        .oneOrNone().map(StoredCalibration.init)
    }

    /// The number of walks that are read and written at once. Each has up to 100,000 samples.
    private static let walksPerBatch = 20

    /// Sets the target speed of walks that were stored before the calibration that was active at their start. The
    /// result is the same as if the calibration had been stored first. Only walks with the flag `calibration_missing`
    /// are changed, so the function is idempotent.
    /// - Parameter enrolments: locked by this transaction, so that no other transaction stores their walks or
    ///   calibrations at the same time.
    static func calibrateWalks(of enrolments: [EnrolmentID], in transaction: Transaction) async throws {
        guard !enrolments.isEmpty else { return }
        while true {
            let rows = try await transaction.query(
                Statements.walks["list_walks_to_calibrate"],
                ["enrolment_ids": .ids(enrolments), "limit_rows": .int(walksPerBatch)])
            guard !rows.isEmpty else { return }
            let calls = try rows.map { try calibrationCall($0) }
            _ = try await transaction.pipeline(calls)
            if calls.count < walksPerBatch { return }
        }
    }

    /// Enrolments of newly stored walks that had no calibration when they were validated.
    static func withoutCalibration(_ walks: [QueuedWalk], _ receipts: [StorageReceipt?]) -> [EnrolmentID] {
        var enrolments: Set<EnrolmentID> = []
        for (walk, receipt) in zip(walks, receipts) where receipt == .stored {
            guard walk.submission.flags.contains(WalkFlag.calibrationMissing.rawValue) else { continue }
            enrolments.insert(walk.submission.enrolment)
        }
        return enrolments.sorted()
    }

    /// The call that sets the calibration of a walk. Only the values of the summary that concern the target speed
    /// depend on the calibration.
    private static func calibrationCall(_ row: Row) throws -> (Statement, Arguments) {
        let startedAt = try row.instant("started_at")
        let pauseBounds: [Int] = try row.get("pauses_ms")
        let pauses = stride(from: 0, to: pauseBounds.count - 1, by: 2).map { index in
            WalkPause(
                from: startedAt.adding(milliseconds: Int64(pauseBounds[index])),
                to: startedAt.adding(milliseconds: Int64(pauseBounds[index + 1])))
        }
        let times: [Int] = try row.get("t_ms")
        let speeds: [Double?]? = try row.getOptional("speed_kmh")
        let walk = try Walk(
            startedAt: startedAt, endedAt: try row.instant("ended_at"), pauses: pauses,
            series: times.isEmpty ? nil : WalkSeries(tMs: times, speedKmh: speeds))
        let target: Double = try row.get("target_speed_kmh")
        let summary = WalkSummary(of: walk, targetSpeedKmh: target)
        let enrolment: EnrolmentID = try row.id("enrolment_id")
        let id: WalkID = try row.id("walk_id")
        let calibration: CalibrationID = try row.id("calibration_id")
        return (
            Statements.walks["calibrate_walk"],
            [
                "enrolment_id": .id(enrolment), "walk_id": .id(id), "calibration_id": .id(calibration),
                "target_speed_kmh": .float8(target), "above_target_s": .float8(summary.aboveTargetS),
                "above_target_count": .int(summary.aboveTargetCount),
            ]
        )
    }
}
