import SaunterCore

/// A validated calibration to be stored.
package struct CalibrationSubmission: Sendable {
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    package var enrolment: EnrolmentID
    package var id: CalibrationID
    package var calibration: Calibration
    /// Skew of the device's clock in milliseconds: received_at − client_now.
    package var skewMs: Int64
    package var receivedAt: Instant
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON

    package init(
        study: String, enrolment: EnrolmentID, id: CalibrationID, calibration: Calibration, skewMs: Int64 = 0,
        receivedAt: Instant, digest: [UInt8], body: JSON
    ) {
        self.study = study
        self.enrolment = enrolment
        self.id = id
        self.calibration = calibration
        self.skewMs = skewMs
        self.receivedAt = receivedAt
        self.digest = digest
        self.body = body
    }
}
