import Postgres
import SaunterCore

extension Store {
    /// Walks that are read and written at once: each has up to a hundred thousand samples.
    private static let calibratedAtOnce = 20

    /// Gives walks that came before the calibration in force at their start the target that they would have had, had it come first. It can be run again,
    /// and by whoever comes next: it changes what has the flag `calibration_missing`, and nothing else.
    /// - Parameter enrolments: locked by this transaction, so that no walk and no calibration of theirs is being written beside it.
    static func calibrateWalks(of enrolments: [EnrolmentID], in transaction: Transaction) async throws {
        guard !enrolments.isEmpty else { return }
        while true {
            let rows = try await transaction.query(
                Statements.walks["list_walks_to_calibrate"], [.ids(enrolments), .int(calibratedAtOnce)])
            guard !rows.isEmpty else { return }
            let calls = try rows.map { try calibrationCall($0) }
            _ = try await transaction.pipeline(calls)
            if calls.count < calibratedAtOnce { return }
        }
    }

    /// Enrolments of walks that were stored now, and lacked a calibration when they were judged.
    static func withoutCalibration(_ walks: [WalkArrival], _ receipts: [StorageReceipt?]) -> [EnrolmentID] {
        var enrolments: Set<EnrolmentID> = []
        for (walk, receipt) in zip(walks, receipts) where receipt == .stored {
            guard walk.submission.flags.contains(WalkFlag.calibrationMissing.rawValue) else { continue }
            enrolments.insert(walk.submission.enrolment)
        }
        return enrolments.sorted()
    }

    /// Of a walk's summary only what is about the target follows from a calibration.
    private static func calibrationCall(_ row: Row) throws -> (Statement, [Parameter]) {
        let startedAt = try row.instant("started_at")
        let ends: [Int] = try row.get("pauses_ms")
        let pauses = stride(from: 0, to: ends.count - 1, by: 2).map { place in
            WalkPause(
                from: startedAt.adding(milliseconds: Int64(ends[place])),
                to: startedAt.adding(milliseconds: Int64(ends[place + 1])))
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
                .id(enrolment), .id(id), .id(calibration), .float8(target), .float8(summary.aboveTargetS),
                .int(summary.aboveTargetCount),
            ]
        )
    }
}
