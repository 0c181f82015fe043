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
    /// As it came, kept aside when its id is taken by another.
    package var body: JSON

    package init(
        enrolment: EnrolmentID, id: WalkID, walk: Walk, summary: WalkSummary, zone: Zone, device: JSON?,
        calibration: CalibrationID?, flags: [String], skewMs: Int64 = 0, receivedAt: Instant, digest: [UInt8],
        body: JSON
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

/// A walk with the study version that its enrolment follows: what comes after a walk is planned by it.
struct WalkArrival: Sendable {
    var submission: WalkSubmission
    var study: Study
}

/// What the database holds under a client's id after the commit.
package enum StorageReceipt: Sendable, Hashable {
    case stored, replayed, conflict
}

extension Store {
    /// Stores calibrations together; again the same is a replay, another body under the id goes to quarantine. It can be run again with the
    /// same ones.
    /// - Returns: one receipt each, in order; nil where the enrolment was erased.
    func submit(_ calibrations: [CalibrationSubmission]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            let (enrolments, receipts) = try await Self.write(
                calibrations.map(Self.record), in: transaction)
            try await Self.calibrateWalks(of: enrolments.keys.sorted(), in: transaction)
            return receipts
        }
    }

    private static func record(of submission: CalibrationSubmission) -> ClientRecord {
        let calibration = submission.calibration
        return ClientRecord(
            enrolment: submission.enrolment, id: submission.id.uuid, kind: "calibration",
            insert: (
                Statements.walks["insert_calibration"],
                [
                    .id(submission.enrolment), .id(submission.id), .instant(calibration.recordedAt),
                    .instant(submission.receivedAt), .float8(calibration.meanSpeedKmh),
                    .float8(calibration.reductionPercent), .float8(calibration.durationS),
                    .float8(calibration.targetSpeedKmh), .bytes(submission.digest), .int8(submission.skewMs),
                ]
            ), digest: submission.digest, body: submission.body, receivedAt: submission.receivedAt)
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

    /// Stores walks together, and the occasions that follow from them, with the sheets that came before, in one transaction. It can be run again with the same ones.
    /// - Returns: one receipt each, in order; nil where the enrolment was erased.
    func submit(_ walks: [WalkArrival]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            let (enrolments, receipts) = try await Self.write(
                walks.map { Self.record(of: $0.submission) }, in: transaction)
            var new: [EnrolmentID: [WalkArrival]] = [:]
            for (walk, receipt) in zip(walks, receipts) where receipt == .stored {
                new[walk.submission.enrolment, default: []].append(walk)
            }
            let people = enrolments.values.sorted { $0.id < $1.id }.compactMap { enrolment -> Replanning? in
                guard let walks = new[enrolment.id], let last = walks.last else { return nil }
                return (
                    enrolment: enrolment, study: last.study, now: last.submission.receivedAt,
                    arrived: Set(walks.map(\.submission.id.description))
                )
            }
            // A calibration may have come since these were judged.
            try await Self.calibrateWalks(
                of: Self.withoutCalibration(walks, receipts), in: transaction)
            let planned = try await replan(people, in: transaction)
            let placed = try await Self.placeSheets(
                of: new.mapValues { $0.map(\.submission.id) }, in: transaction)
            guard !placed.isEmpty else { return receipts }
            // What followed a sheet that is a duplicate now follows it no more, and what is answered need not be told of.
            let present = Dictionary(planned.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            try await replan(
                people.filter { placed.contains($0.enrolment.id) }.map { person -> Replanning in
                    (
                        enrolment: present[person.enrolment.id] ?? person.enrolment, study: person.study,
                        now: person.now, arrived: []
                    )
                }, in: transaction)
            return receipts
        }
    }

    private static func record(of submission: WalkSubmission) -> ClientRecord {
        ClientRecord(
            enrolment: submission.enrolment, id: submission.id.uuid, kind: "walk",
            insert: (Statements.walks["insert_walk"], parameters(of: submission)), digest: submission.digest,
            body: submission.body, receivedAt: submission.receivedAt)
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
    /// - Parameter evenDeleted: also one that was deleted, for whoever sends it again.
    package func findWalk(
        _ enrolment: EnrolmentID, _ id: WalkID, evenDeleted: Bool = false
    ) async throws -> StoredWalk? {
        let rows = try await research.query(
            Statements.walks["find_walk"], [.id(enrolment), .id(id), .bool(evenDeleted)])
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
