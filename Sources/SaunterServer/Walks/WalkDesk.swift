import SaunterCore
import SaunterStore

/// Takes walks and calibrations in: by single requests and from a device's outbox alike.
struct WalkDesk: Sendable {
    let context: ServerContext

    /// Checks, summarises and stores a walk. One that should not have been started is stored all the same, and flagged.
    func put(
        _ id: WalkID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
        let body: WalkBody
        do {
            body = try WalkBody(json)
        } catch {
            throw Problem(.walkInvalid, error)
        }
        let skew = now.skew(of: body.clientNow)
        let startedAt = body.walk.startedAt.adding(milliseconds: skew)
        let published = try await context.study(of: enrolment)
        let calibration = try await calibration(of: body, at: startedAt, enrolment)
        let status = EnrolmentStatus(endedAt: enrolment.endedAt)
        if let endedAt = enrolment.endedAt, startedAt >= endedAt,
            try await context.store.findWalk(enrolment.id, id, evenDeleted: true) == nil
        {
            throw Problem(.enrolmentWithdrawn, "It began after the participant had left the study.")
        }
        let flags = body.walk.flags(
            rule: published.study.walking, calibrationPresent: calibration != nil,
            enrolledAt: enrolment.enrolledAt,
            status: status, receivedAt: now, skewMs: skew)
        let summary = WalkSummary(of: body.walk, targetSpeedKmh: calibration?.targetSpeedKmh)
        let receipt = try await context.ingest.submit(
            WalkSubmission(
                enrolment: enrolment.id, id: id, walk: body.walk, summary: summary, zone: body.zone,
                device: body.device, calibration: calibration?.id, flags: flags.map(\.rawValue),
                skewMs: skew, receivedAt: now,
                digest: body.digest, body: body.json), study: published.study)
        switch receipt {
        case .stored:
            return (
                WalkWire.receipt(
                    id, startedAt: body.walk.startedAt, endedAt: body.walk.endedAt, receivedAt: now,
                    calibration: calibration?.id, flags: flags.map(\.rawValue), summary: summary.json,
                    replayed: false),
                true
            )
        case .replayed:
            // One that was deleted meanwhile was stored all the same: whoever sends it again is told what it was told.
            guard let stored = try await context.store.findWalk(enrolment.id, id, evenDeleted: true) else {
                throw Problem(.notFound)
            }
            return (WalkWire.receipt(stored, replayed: true), false)
        case .conflict:
            throw Problem(
                .idReused,
                "Another walk was handed in under this id. It is put aside, as the first thousand of an enrolment are."
            )
        }
    }

    /// The calibration that the walk names, else the one in force when it began.
    private func calibration(
        of body: WalkBody, at startedAt: Instant, _ enrolment: Enrolment
    ) async throws -> StoredCalibration? {
        guard let id = body.calibration else {
            return try await context.store.findCalibration(enrolment.id, at: startedAt)
        }
        guard let calibration = try await context.store.findCalibration(enrolment.id, id) else {
            throw Problem(
                .walkInvalid,
                Faults([
                    Fault(
                        pointer: "/calibration_id", code: "unknown_calibration",
                        detail: "This enrolment has no such calibration.")
                ]))
        }
        return calibration
    }

    func put(
        _ id: CalibrationID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
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
            throw Problem(.enrolmentWithdrawn)
        }
        object["client_now"] = nil
        let receipt = try await context.ingest.submit(
            CalibrationSubmission(
                study: enrolment.study, enrolment: enrolment.id, id: id, calibration: calibration,
                skewMs: skew, receivedAt: now, digest: JSON.object(object).sha256, body: json))
        guard receipt != .conflict else {
            throw Problem(
                .idReused,
                "Another calibration was handed in under this id. It is put aside, as the first thousand of an enrolment are."
            )
        }
        guard let stored = try await context.store.findCalibration(enrolment.id, id) else {
            throw Problem(.notFound)
        }
        var wire = WalkWire.calibration(stored).object ?? [:]
        wire["replayed"] = .bool(receipt == .replayed)
        return (.object(wire), receipt == .stored)
    }
}
