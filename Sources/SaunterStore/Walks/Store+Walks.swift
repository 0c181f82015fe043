import Foundation
import Postgres
import SaunterCore

/// A walk on its way into the database, checked and summarised.
package struct WalkSubmission: Sendable {
    package var enrolment: EnrolmentID
    package var id: WalkID
    package var walk: Walk
    package var summary: WalkSummary
    package var zone: Zone
    package var device: JSON?
    package var calibration: CalibrationID?
    package var flags: [String]
    /// Our clock against the device's; corrected times are what the device says and this.
    package var skewMs: Int64
    package var receivedAt: Instant
    package var digest: [UInt8]
    package var body: [UInt8]

    package init(
        enrolment: EnrolmentID, id: WalkID, walk: Walk, summary: WalkSummary, zone: Zone, device: JSON?,
        calibration: CalibrationID?, flags: [String], skewMs: Int64 = 0, receivedAt: Instant, digest: [UInt8],
        body: [UInt8]
    ) {
        self.enrolment = enrolment
        self.id = id
        self.walk = walk
        self.summary = summary
        self.zone = zone
        self.device = device
        self.calibration = calibration
        self.flags = flags
        self.skewMs = skewMs
        self.receivedAt = receivedAt
        self.digest = digest
        self.body = body
    }
}

/// What the database holds under a client's id after the commit.
package enum StorageReceipt: Sendable, Hashable {
    case stored, replayed, conflict
}

extension Store {
    /// Stores a calibration; again the same is a replay, another body under the id goes to quarantine.
    /// - Throws: `ErasedMeanwhile`.
    package func insert(
        _ calibration: Calibration, id: CalibrationID, of enrolment: EnrolmentID, digest: [UInt8],
        body: [UInt8], skewMs: Int64 = 0, now: Instant
    ) async throws -> StorageReceipt {
        try await research.writeRetrying(repeatable: true) { transaction in
            _ = try await Self.lockEnrolment(enrolment, in: transaction)
            let row = try await transaction.query(
                Statements.walks["insert_calibration"],
                [
                    .id(enrolment), .id(id), .instant(calibration.recordedAt), .instant(now),
                    .float8(calibration.meanSpeedKmh), .float8(calibration.reductionPercent),
                    .float8(calibration.durationS), .float8(calibration.targetSpeedKmh), .bytes(digest),
                    .int8(skewMs),
                ]
            ).one()
            return try await Self.receipt(
                row, enrolment, kind: "calibration", id: id, digest: digest, body: body, now: now,
                in: transaction)
        }
    }

    package func findCalibration(_ enrolment: EnrolmentID, _ id: CalibrationID) async throws
        -> StoredCalibration?
    {
        try await research.query(Statements.walks["find_calibration"], [.id(enrolment), .id(id)])
            .oneOrNone().map(StoredCalibration.init)
    }

    /// The calibration in force at a moment.
    package func findCalibration(_ enrolment: EnrolmentID, at moment: Instant) async throws
        -> StoredCalibration?
    {
        try await research.query(Statements.walks["find_calibration_at"], [.id(enrolment), .instant(moment)])
            .oneOrNone().map(StoredCalibration.init)
    }

    /// Stores a walk, and the occasions that follow from it, in one transaction.
    /// - Throws: `ErasedMeanwhile`.
    package func insert(_ submission: WalkSubmission, study: Study) async throws -> StorageReceipt {
        try await research.writeRetrying(repeatable: true) { transaction in
            let enrolment = try await Self.lockEnrolment(submission.enrolment, in: transaction)
            let row = try await transaction.query(
                Statements.walks["insert_walk"], Self.parameters(of: submission)
            ).one()
            let receipt = try await Self.receipt(
                row, submission.enrolment, kind: "walk", id: submission.id, digest: submission.digest,
                body: submission.body, now: submission.receivedAt, in: transaction)
            if receipt == .stored {
                _ = try await replan(enrolment, study: study, now: submission.receivedAt, in: transaction)
            }
            return receipt
        }
    }

    private static func receipt<Tag>(
        _ row: Row, _ enrolment: EnrolmentID, kind: String, id: ID<Tag>, digest: [UInt8], body: [UInt8],
        now: Instant,
        in transaction: Transaction
    ) async throws -> StorageReceipt {
        if try row.get("inserted", as: Bool.self) { return .stored }
        if try row.get("body_sha256", as: [UInt8].self) == digest { return .replayed }
        let (statement, parameters) = quarantineCall(
            enrolment, kind: kind, id: id, digest: digest, body: body, now: now)
        _ = try await transaction.query(statement, parameters)
        return .conflict
    }

    /// In the order of insert_walk.
    private static func parameters(of submission: WalkSubmission) -> [Parameter] {
        let walk = submission.walk
        let summary = submission.summary
        let pauses = walk.pauses.flatMap {
            [$0.from.milliseconds(since: walk.startedAt), $0.to.milliseconds(since: walk.startedAt)]
        }
        let series = walk.series
        return [
            .id(submission.enrolment), .id(submission.id), .instant(walk.startedAt), .instant(walk.endedAt),
            .instant(submission.receivedAt), .text(submission.zone.id),
            .int(submission.zone.offset(at: walk.startedAt) / 60),
            .int(submission.zone.offset(at: walk.endedAt) / 60),
            .verbatim(submission.device), .id(submission.calibration), .texts(submission.flags),
            .int8s(pauses),
            .verbatim(walk.totals.map(\.json)), .ints(series?.tMs ?? []), .float8s(series?.speedKmh),
            .float8s(series?.heartRateBpm), .float8s(series?.distanceM), .float8s(series?.activeEnergyKcal),
            .float8(summary.elapsedS), .float8(summary.activeS), .float8(summary.distanceM),
            .float8(summary.meanSpeedKmh), .float8(summary.meanPaceSPerKm), .float8(summary.meanHeartRateBpm),
            .float8(summary.maxHeartRateBpm), .float8(summary.activeEnergyKcal),
            .float8(summary.targetSpeedKmh),
            .float8(summary.aboveTargetS), .int(summary.aboveTargetCount), .float8(summary.coverage),
            .bytes(submission.digest), .int8(submission.skewMs),
        ]
    }

    /// Walks that are not deleted, the newest first, from after the given place on.
    package func listWalks(
        _ enrolment: EnrolmentID, before: (startedAt: Instant, id: WalkID)?, limit: Int
    ) async throws -> [StoredWalk] {
        try await research.query(
            Statements.walks["list_walks"],
            [
                .id(enrolment), .instant(before?.startedAt ?? .maximum), .uuid(before?.id.uuid ?? .last),
                .int(limit),
            ]
        ).map { try StoredWalk($0) }
    }

    /// One walk with its samples.
    package func findWalk(_ enrolment: EnrolmentID, _ id: WalkID) async throws -> StoredWalk? {
        let rows = try await research.query(Statements.walks["find_walk"], [.id(enrolment), .id(id)])
        guard let row = try rows.oneOrNone() else { return nil }
        var walk = try StoredWalk(row)
        try walk.readDetail(row)
        return walk
    }

    /// Marks a walk as deleted, and cancels what would have followed it; false when there was none.
    /// - Throws: `ErasedMeanwhile`.
    package func deleteWalk(
        _ enrolment: EnrolmentID, _ id: WalkID, study: Study, now: Instant, audit: AuditEntry
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            let rows = try await transaction.query(
                Statements.walks["delete_walk"], [.id(enrolment), .id(id), .instant(now)])
            guard rows.affected > 0 else { return false }
            let (statement, parameters) = audit.call(at: now)
            _ = try await transaction.query(statement, parameters)
            _ = try await replan(locked, study: study, now: now, in: transaction)
            return true
        }
    }
}
