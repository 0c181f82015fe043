import Foundation
import SaunterCore
import SaunterStore

/// Validates and stores calibrations.
struct CalibrationService: RecordService {
    static let bodySchema = Schema.named(
        "Calibration",
        .object([
            .required("recorded_at", .instant, "When the calibration was measured."),
            .required("mean_speed_kmh", .number(), "The measured speed in km/h."),
            .required("reduction_percent", .number(), "By how many percent the target speed is lower."),
            .required("duration_s", .number(), "The duration of the measurement in seconds."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the request. The server corrects times with it."),
        ]))

    let context: ServerContext

    /// Validates and stores a calibration.
    /// - Returns: the receipt, and whether the calibration is new.
    /// - Throws: `Problem` if the calibration is rejected.
    func put(
        _ uuid: UUID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        let id = CalibrationID(uuid)
        guard var object = json.object, let recordedAt = json["recorded_at"]?.string.flatMap({ Instant($0) }),
            let speed = json["mean_speed_kmh"]?.double, let reduction = json["reduction_percent"]?.double,
            let duration = json["duration_s"]?.double
        else { throw Problem(.bodyInvalid) }
        let study = try await context.study(of: enrolment).study
        let calibration: Calibration
        do {
            calibration = try Calibration(
                recordedAt: recordedAt, meanSpeedKmh: speed, reductionPercent: reduction, durationS: duration,
                rule: study.walking)
        } catch {
            throw Problem(.calibrationInvalid, error)
        }
        let clientNow = json["client_now"]?.string.flatMap { Instant($0) }
        let skew = now.skew(of: clientNow)
        if let endedAt = enrolment.endedAt, recordedAt.adding(milliseconds: skew) >= endedAt,
            try await context.store.findCalibration(enrolment.id, id) == nil
        {
            throw Problem(
                .enrolmentWithdrawn,
                "The calibration was measured after the participant had left the study.")
        }
        object["client_now"] = nil
        let receipt = try await context.save(
            CalibrationSubmission(
                study: enrolment.study, enrolment: enrolment.id, id: id, calibration: calibration,
                skewMs: skew, receivedAt: now, digest: JSON.object(object).sha256, body: json))
        guard let stored = try await context.store.findCalibration(enrolment.id, id) else {
            throw Problem(.notFound)
        }
        var response = WalkResponse.calibration(stored).object ?? [:]
        response["replayed"] = .bool(!receipt.isNew)
        return RecordReceipt(.object(response), isNew: receipt.isNew)
    }
}
