import Foundation
import Postgres
import SaunterCore

/// A validated and summarised walk to be stored.
package struct WalkSubmission: Sendable {
    /// The enrolment under which the walk is submitted.
    package var enrolment: EnrolmentID
    /// The UUID that the device generated, or that follows from a recording.
    package var id: WalkID
    /// The times, pauses, samples and totals.
    package var walk: Walk
    /// Computed from the walk and its calibration.
    package var summary: WalkSummary
    /// The participant's time zone during the walk.
    package var zone: Zone
    /// What the device stated about itself; nil if it stated nothing.
    package var device: JSON?
    /// Nil if the device named none.
    package var sport: Sport?
    /// The calibration whose target speed applies; nil if there is none.
    package var calibration: CalibrationID?
    /// Codes of what is unusual, such as `calibration_missing`.
    package var flags: [String]
    /// Skew of the device's clock in milliseconds: received_at − client_now. Instants are stored as the device reported
    /// them.
    package var skewMs: Int64
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON
    /// The plan of the study, in which occasions can follow walks.
    private let plan: FollowUps

    /// Creates a submission; by default the device's clock is correct.
    package init(
        enrolment: EnrolmentID, id: WalkID, walk: Walk, summary: WalkSummary, zone: Zone, device: JSON?,
        sport: Sport? = nil, calibration: CalibrationID?, flags: [String], skewMs: Int64 = 0,
        receivedAt: Instant, digest: [UInt8], body: JSON, study: Study
    ) {
        self.enrolment = enrolment
        self.id = id
        self.walk = walk
        self.summary = summary
        self.zone = zone
        self.device = device
        self.sport = sport
        self.calibration = calibration
        self.flags = flags
        self.skewMs = skewMs
        self.receivedAt = receivedAt
        self.digest = digest
        self.body = body
        plan = FollowUps(study: study, changesPlan: true, now: receivedAt)
    }
}

extension WalkSubmission: RowSubmission {
    package static var kind: SubmissionKind { .walk }
    package var study: String { plan.study.code }
    package var recordID: UUID { id.uuid }
    package var quarantineKind: String { "walk" }
    // A sample of five series occupies 40 bytes.
    package var memory: Int { 40 * (walk.series?.tMs.count ?? 0) + 1024 }
    package var followUps: FollowUps? { plan }
    package var walkToPlace: WalkID? { id }
    // A calibration may have been stored since the walk was validated.
    package var calibratesWalks: Bool { flags.contains(WalkFlag.calibrationMissing.rawValue) }
    var insertion: (Statement, Arguments) { (Statements.walks["insert_walk"], columns) }
}

extension WalkSubmission {
    /// The arguments of `insert_walk`.
    private var columns: Arguments {
        let pauses = walk.pauses.flatMap {
            [$0.from.milliseconds(since: walk.startedAt), $0.to.milliseconds(since: walk.startedAt)]
        }
        let series = walk.series
        return [
            "enrolment_id": .id(enrolment), "walk_id": .id(id),
            "started_at": .instant(walk.startedAt), "ended_at": .instant(walk.endedAt),
            "received_at": .instant(receivedAt), "zone": .text(zone.id),
            "started_offset_min": .int(zone.offset(at: walk.startedAt) / 60),
            "ended_offset_min": .int(zone.offset(at: walk.endedAt) / 60),
            "device": .verbatim(device), "calibration_id": .id(calibration),
            "flags": .texts(flags), "sport": .text(sport?.rawValue),
            "pauses_ms": .int8s(pauses),
            "totals": .verbatim(walk.totals.map(\.json)), "t_ms": .ints(series?.tMs ?? []),
            "speed_kmh": .float8s(series?.speedKmh),
            "heart_rate_bpm": .float8s(series?.heartRateBpm),
            "sample_distance_m": .float8s(series?.distanceM),
            "sample_energy_kcal": .float8s(series?.activeEnergyKcal),
            "elapsed_s": .float8(summary.elapsedS), "active_s": .float8(summary.activeS),
            "distance_m": .float8(summary.distanceM),
            "mean_speed_kmh": .float8(summary.meanSpeedKmh),
            "mean_pace_s_per_km": .float8(summary.meanPaceSPerKm),
            "mean_heart_rate_bpm": .float8(summary.meanHeartRateBpm),
            "max_heart_rate_bpm": .float8(summary.maxHeartRateBpm),
            "active_energy_kcal": .float8(summary.activeEnergyKcal),
            "target_speed_kmh": .float8(summary.targetSpeedKmh),
            "above_target_s": .float8(summary.aboveTargetS),
            "above_target_count": .int(summary.aboveTargetCount), "coverage": .float8(summary.coverage),
            "body_sha256": .bytes(digest), "skew_ms": .int8(skewMs),
        ]
    }
}
