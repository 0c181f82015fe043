import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Observations that are not deleted, the newest first, after the given cursor, without their samples.
    /// - Parameter codes: only observations with these codes; nil for all.
    package func listObservations(
        _ enrolment: EnrolmentID, codes: [ObservationCode]? = nil,
        before: (startedAt: Instant, id: ObservationID)?, limit: Int
    ) async throws -> [StoredObservation] {
        try await research.query(
            Statements.observations["list_observations"],
            [
                "enrolment_id": .id(enrolment), "before": .instant(before?.startedAt ?? .maximum),
                "before_id": .uuid(before?.id.uuid ?? .last),
                "codes": .texts(codes?.map(Self.text)), "limit_rows": .int(limit),
            ]
        ).map { try StoredObservation($0) }
    }

    /// One observation with its samples.
    /// - Parameter includingDeleted: also finds a deleted observation, for the response to a replay.
    package func findObservation(
        _ enrolment: EnrolmentID, _ id: ObservationID, includingDeleted: Bool = false
    ) async throws -> StoredObservation? {
        let rows = try await research.query(
            Statements.observations["find_observation"],
            [
                "enrolment_id": .id(enrolment), "observation_id": .id(id),
                "including_deleted": .bool(includingDeleted),
            ])
        return try rows.oneOrNone().map(Self.detailed)
    }

    /// Observations of these codes that overlap a time span, with their samples, the oldest first.
    /// - Parameter from: the cursor. The list begins with this observation; nil for all.
    package func listObservationSamples(
        _ enrolment: EnrolmentID, codes: [ObservationCode], in span: Range<Instant>,
        from: (startedAt: Instant, id: UUID)?, limit: Int
    ) async throws -> [StoredObservation] {
        try await research.query(
            Statements.observations["list_observation_samples"],
            [
                "enrolment_id": .id(enrolment), "codes": .texts(codes.map(Self.text)),
                "from_at": .instant(span.lowerBound),
                "to_at": .instant(span.upperBound), "after": .instant(from?.startedAt ?? .minimum),
                "after_id": .uuid(from?.id ?? .first), "limit_rows": .int(limit),
            ]
        ).map(Self.detailed)
    }

    /// Marks an observation as deleted. Returns false if there is no such observation.
    /// - Throws: `ConcurrentErasure`.
    package func deleteObservation(
        _ enrolment: EnrolmentID, _ id: ObservationID, now: Instant, audit: AuditEntry
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            _ = try await Self.lockEnrolment(enrolment, in: transaction)
            let rows = try await transaction.query(
                Statements.observations["delete_observation"],
                ["enrolment_id": .id(enrolment), "observation_id": .id(id), "now": .instant(now)])
            guard rows.affected > 0 else { return false }
            let (statement, parameters) = audit.call(at: now, secrets)
            _ = try await transaction.query(statement, parameters)
            return true
        }
    }

    @Sendable private static func detailed(_ row: Row) throws -> StoredObservation {
        var observation = try StoredObservation(row)
        try observation.readDetail(row)
        return observation
    }

    private static func text(_ code: ObservationCode) -> String? { "\(code.system) \(code.code)" }
}
