import SaunterCore

/// A checked calibration on its way into the database.
package struct CalibrationSubmission: Sendable {
    /// The study's code: studies take turns when much is handed in at once.
    package var study: String
    package var enrolment: EnrolmentID
    package var id: CalibrationID
    package var calibration: Calibration
    /// Our clock against the device's.
    package var skewMs: Int64
    package var receivedAt: Instant
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as it came, kept aside when its id is taken by another.
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
