import Foundation
import Postgres
import SaunterCore

extension Store {
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
