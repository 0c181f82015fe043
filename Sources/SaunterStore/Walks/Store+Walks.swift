import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores walks, plans the occasions that follow from them, and assigns these to the sheets that arrived before
    /// their walk, in one transaction. Idempotent.
    /// - Returns: one receipt each, in order; nil if the enrolment was erased.
    func submit(_ walks: [QueuedWalk]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            let (enrolments, receipts) = try await Self.write(
                walks.map { Self.record(of: $0.submission) }, in: transaction)
            var new: [EnrolmentID: [QueuedWalk]] = [:]
            for (walk, receipt) in zip(walks, receipts) where receipt == .stored {
                new[walk.submission.enrolment, default: []].append(walk)
            }
            let replannings = enrolments.values.sorted { $0.id < $1.id }.compactMap {
                enrolment -> Replanning? in
                guard let walks = new[enrolment.id], let last = walks.last else { return nil }
                return (
                    enrolment: enrolment, study: last.study, now: last.submission.receivedAt,
                    arrived: Set(walks.map(\.submission.id.description))
                )
            }
            // A calibration may have been stored since these walks were validated.
            try await Self.calibrateWalks(
                of: Self.withoutCalibration(walks, receipts), in: transaction)
            let replanned = try await replan(replannings, in: transaction)
            let placed = try await Self.placeSheets(
                of: new.mapValues { $0.map(\.submission.id) }, in: transaction)
            guard !placed.isEmpty else { return receipts }
            // A sheet that became a duplicate has no follow-ups any more, and an answered occasion needs no reminder.
            let enrolmentByID = Dictionary(
                replanned.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            try await replan(
                replannings.filter { placed.contains($0.enrolment.id) }.map { replanning -> Replanning in
                    (
                        enrolment: enrolmentByID[replanning.enrolment.id] ?? replanning.enrolment,
                        study: replanning.study,
                        now: replanning.now, arrived: []
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

    /// The arguments of `insert_walk`.
    private static func parameters(of submission: WalkSubmission) -> Arguments {
        let walk = submission.walk
        let summary = submission.summary
        let pauses = walk.pauses.flatMap {
            [$0.from.milliseconds(since: walk.startedAt), $0.to.milliseconds(since: walk.startedAt)]
        }
        let series = walk.series
        return [
            "enrolment_id": .id(submission.enrolment), "walk_id": .id(submission.id),
            "started_at": .instant(walk.startedAt), "ended_at": .instant(walk.endedAt),
            "received_at": .instant(submission.receivedAt), "zone": .text(submission.zone.id),
            "started_offset_min": .int(submission.zone.offset(at: walk.startedAt) / 60),
            "ended_offset_min": .int(submission.zone.offset(at: walk.endedAt) / 60),
            "device": .verbatim(submission.device), "calibration_id": .id(submission.calibration),
            "flags": .texts(submission.flags), "sport": .text(submission.sport?.rawValue),
            "pauses_ms": .int8s(pauses),
            "totals": .verbatim(walk.totals.map(\.json)), "t_ms": .ints(series?.tMs ?? []),
            "speed_kmh": .float8s(series?.speedKmh),
            "heart_rate_bpm": .float8s(series?.heartRateBpm),
            "sample_distance_m": .float8s(series?.distanceM),
            "sample_energy_kcal": .float8s(series?.activeEnergyKcal),
            "elapsed_s": .float8(summary.elapsedS), "active_s": .float8(summary.activeS),
            "distance_m": .float8(summary.distanceM),
            "mean_speed_kmh": .float8(summary.meanSpeedKmh),
            "mean_pace_s_per_km": .float8(summary.meanPaceSPerKm),
            "mean_heart_rate_bpm": .float8(summary.meanHeartRateBpm),
            "max_heart_rate_bpm": .float8(summary.maxHeartRateBpm),
            "active_energy_kcal": .float8(summary.activeEnergyKcal),
            "target_speed_kmh": .float8(summary.targetSpeedKmh),
            "above_target_s": .float8(summary.aboveTargetS),
            "above_target_count": .int(summary.aboveTargetCount), "coverage": .float8(summary.coverage),
            "body_sha256": .bytes(submission.digest), "skew_ms": .int8(submission.skewMs),
        ]
    }

    /// Walks that are not deleted, the newest first, after the given cursor.
    package func listWalks(
        _ enrolment: EnrolmentID, before: (startedAt: Instant, id: WalkID)?, limit: Int
    ) async throws -> [StoredWalk] {
        try await research.query(
            Statements.walks["list_walks"],
            [
                "enrolment_id": .id(enrolment), "before": .instant(before?.startedAt ?? .maximum),
                "before_id": .uuid(before?.id.uuid ?? .last),
                "limit_rows": .int(limit),
            ]
        ).map { try StoredWalk($0) }
    }

    /// One walk with its samples.
    /// - Parameter includingDeleted: also finds a deleted walk, for the response to a replay.
    package func findWalk(
        _ enrolment: EnrolmentID, _ id: WalkID, includingDeleted: Bool = false
    ) async throws -> StoredWalk? {
        let rows = try await research.query(
            Statements.walks["find_walk"],
            [
                "enrolment_id": .id(enrolment), "walk_id": .id(id),
                "including_deleted": .bool(includingDeleted),
            ])
        guard let row = try rows.oneOrNone() else { return nil }
        var walk = try StoredWalk(row)
        try walk.readDetail(row)
        return walk
    }

    /// Marks a walk as deleted and cancels the occasions that would have followed. Returns false if there is no such
    /// walk.
    /// - Throws: `ConcurrentErasure`.
    package func deleteWalk(
        _ enrolment: EnrolmentID, _ id: WalkID, study: Study, now: Instant, audit: AuditEntry
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            let rows = try await transaction.query(
                Statements.walks["delete_walk"],
                ["enrolment_id": .id(enrolment), "walk_id": .id(id), "now": .instant(now)])
            guard rows.affected > 0 else { return false }
            let (statement, parameters) = audit.call(at: now, secrets)
            _ = try await transaction.query(statement, parameters)
            _ = try await replan(locked, study: study, now: now, in: transaction)
            return true
        }
    }
}
