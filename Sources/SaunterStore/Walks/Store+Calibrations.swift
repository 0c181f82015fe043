import Postgres
import SaunterCore

extension Store {
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
