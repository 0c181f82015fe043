import Foundation
import SaunterCore

@testable import SaunterStore

enum WalkFixture {
    /// A walk of 30 minutes with a pause of 1 minute and a sample every 10 minutes, one of them without a heart rate.
    static func make(
        _ enrolment: EnrolmentID, _ id: WalkID = WalkID(UUID()), calibration: CalibrationID? = nil,
        endedAt: Instant = Instant.start.plus(hours: 2), device: JSON? = ["model": "W1"],
        digest: [UInt8] = [2], study: Study = StudyFixture.study
    ) throws -> WalkSubmission {
        let startedAt = endedAt.adding(seconds: -1800)
        let walk = try Walk(
            startedAt: startedAt, endedAt: endedAt,
            pauses: [WalkPause(from: startedAt.adding(seconds: 600), to: startedAt.adding(seconds: 660))],
            totals: WalkTotals(distanceM: 2000),
            series: WalkSeries(
                tMs: [0, 600_000, 1_200_000], speedKmh: [4, 4.5, 5], heartRateBpm: [90, nil, 100],
                distanceM: [0, 700, 1500]))
        return WalkSubmission(
            enrolment: enrolment, id: id, walk: walk, summary: WalkSummary(of: walk, targetSpeedKmh: 4.2),
            zone: .utc,
            device: device, calibration: calibration, flags: ["clock_ahead"],
            receivedAt: endedAt.adding(seconds: 5),
            digest: digest, body: "walk", study: study)
    }
}
