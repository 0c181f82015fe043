import Foundation
import SaunterCore

@testable import SaunterStore

extension StoreFixture {
    @discardableResult
    func submitCalibration(
        _ id: EnrolmentID, as calibration: CalibrationID = CalibrationID(UUID()), speed: Double = 5,
        recordedAt: Instant = .start, receivedAt: Instant? = nil, skewMs: Int64 = 0, digest: [UInt8] = [1]
    ) async throws -> StorageReceipt {
        let submission = CalibrationSubmission(
            study: study.code, enrolment: id, id: calibration,
            calibration: try Calibration(
                recordedAt: recordedAt, meanSpeedKmh: speed, reductionPercent: 20, durationS: 60, rule: nil),
            skewMs: skewMs, receivedAt: receivedAt ?? max(recordedAt, .start), digest: digest,
            body: "calibration")
        return try await store.submit([submission]).receipt()
    }

    @discardableResult
    func submitWalk(
        _ id: EnrolmentID, as walk: WalkID = WalkID(UUID()), calibration: CalibrationID? = nil,
        endedAt: Instant = Instant.start.plus(hours: 2), digest: [UInt8] = [2]
    ) async throws -> StorageReceipt {
        try await submit(
            WalkFixture.make(
                id, walk, calibration: calibration, endedAt: endedAt, digest: digest, study: study))
    }

    /// Submits one walk as the ingest queue does.
    func submit(_ walk: WalkSubmission) async throws -> StorageReceipt {
        try await store.submit([walk]).receipt()
    }

    @discardableResult
    func submitObservation(
        _ enrolment: EnrolmentID, as id: ObservationID = ObservationID(UUID()), startedAt: Instant = .start,
        digest: [UInt8] = [4]
    ) async throws -> StorageReceipt {
        let observation = try ObservationFixture.make(enrolment, id, startedAt: startedAt, digest: digest)
        return try await store.submit([observation]).receipt()
    }

    /// Submits an edit as the ingest queue does.
    @discardableResult
    func submitEdit(_ edit: Edit, of enrolment: EnrolmentID) async throws -> StorageReceipt {
        try await store.submit([
            EditSubmission(study: "walks", enrolment: enrolment, edit: edit)
        ])[0]
    }
}

extension [StorageReceipt] {
    /// The receipt of a single record.
    /// - Throws: `ConcurrentErasure`.
    fileprivate func receipt() throws -> StorageReceipt {
        guard self[0] != .gone else { throw ConcurrentErasure() }
        return self[0]
    }
}

extension Store {
    /// Stores sheets. With this function a test can write `[.make(id)]`.
    @discardableResult
    func submit(_ sheets: [SheetSubmission]) async throws -> [StorageReceipt] {
        try await submit(sheets as [any Submission])
    }
}
