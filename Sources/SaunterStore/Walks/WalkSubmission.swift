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

    /// Creates a submission; by default the device's clock is correct.
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
