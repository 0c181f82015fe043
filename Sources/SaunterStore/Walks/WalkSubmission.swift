import SaunterCore

/// A validated and summarised walk to be stored.
package struct WalkSubmission: Sendable {
    package var enrolment: EnrolmentID
    package var id: WalkID
    package var walk: Walk
    package var summary: WalkSummary
    package var zone: Zone
    package var device: JSON?
    /// Nil if the device named none.
    package var sport: Sport?
    package var calibration: CalibrationID?
    package var flags: [String]
    /// Skew of the device's clock in milliseconds: received_at − client_now. Instants are stored as the device reported
    /// them.
    package var skewMs: Int64
    package var receivedAt: Instant
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON

    package init(
        enrolment: EnrolmentID, id: WalkID, walk: Walk, summary: WalkSummary, zone: Zone, device: JSON?,
        sport: Sport? = nil, calibration: CalibrationID?, flags: [String], skewMs: Int64 = 0,
        receivedAt: Instant, digest: [UInt8],
        body: JSON
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
    }
}

/// A walk in the batching queue, with the study version that its enrolment follows. The occasions after the walk are
/// planned by this version.
struct QueuedWalk: Sendable {
    var submission: WalkSubmission
    var study: Study
}
