import Foundation
import Postgres
import SaunterCore

/// A validated calibration to be stored.
package struct CalibrationSubmission: Sendable {
    /// The code of the study. The batching queue serves studies round-robin.
    package var study: String
    /// The enrolment under which the calibration is submitted.
    package var enrolment: EnrolmentID
    /// The UUID that the device generated.
    package var id: CalibrationID
    /// The measured speed and the reduction.
    package var calibration: Calibration
    /// Skew of the device's clock in milliseconds: received_at − client_now.
    package var skewMs: Int64
    /// When the server received it, by the server's clock.
    package var receivedAt: Instant
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    package var body: JSON

    /// Creates a submission; by default the device's clock is correct.
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

extension CalibrationSubmission: RowSubmission {
    package static var kind: SubmissionKind { .calibration }
    package var recordID: UUID { id.uuid }
    package var quarantineKind: String { "calibration" }
    package var memory: Int { 256 }
    package var calibratesWalks: Bool { true }

    var insertion: (Statement, Arguments) {
        (
            Statements.walks["insert_calibration"],
            [
                "enrolment_id": .id(enrolment), "calibration_id": .id(id),
                "recorded_at": .instant(calibration.recordedAt), "received_at": .instant(receivedAt),
                "mean_speed_kmh": .float8(calibration.meanSpeedKmh),
                "reduction_percent": .float8(calibration.reductionPercent),
                "duration_s": .float8(calibration.durationS),
                "target_speed_kmh": .float8(calibration.targetSpeedKmh),
                "body_sha256": .bytes(digest), "skew_ms": .int8(skewMs),
            ]
        )
    }
}
