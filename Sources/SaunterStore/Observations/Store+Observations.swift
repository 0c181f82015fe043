import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores observations in one transaction. The same body again, or an earlier revision, is a replay. A later
    /// revision replaces the stored one. Another body of the same revision is quarantined. Idempotent.
    /// - Returns: one receipt each, in order; nil if the enrolment was erased.
    func submit(_ observations: [ObservationSubmission]) async throws -> [StorageReceipt?] {
        try await research.write { transaction in
            try await Self.write(observations.map(Self.record), in: transaction).receipts
        }
    }

    private static func record(of submission: ObservationSubmission) -> ClientRecord {
        ClientRecord(
            enrolment: submission.enrolment, id: submission.id.uuid, kind: "observation",
            insert: (Statements.observations["insert_observation"], parameters(of: submission)),
            digest: submission.digest, body: submission.body, receivedAt: submission.receivedAt,
            revision: submission.revision)
    }

    /// The arguments of `insert_observation`.
    private static func parameters(of submission: ObservationSubmission) -> Arguments {
        let observation = submission.observation
        let components = observation.components
        let summaries = components.map { ObservationSummary(of: $0.values) }
        func offset(_ moment: Instant) -> Int {
            submission.offsetMin ?? submission.zone.offset(at: moment) / 60
        }
        return [
            "enrolment_id": .id(submission.enrolment), "observation_id": .id(submission.id),
            "system": .text(observation.code.system),
            "code": .text(observation.code.code), "display": .text(observation.code.display),
            "started_at": .instant(observation.startedAt),
            "ended_at": .instant(observation.endedAt), "received_at": .instant(submission.receivedAt),
            "zone": .text(submission.zone.id),
            "started_offset_min": .int(offset(observation.startedAt)),
            "ended_offset_min": .int(offset(observation.endedAt)),
            "modality": .text(observation.modality.rawValue), "statistic": .text(observation.statistic),
            "device": .verbatim(submission.device),
            "provenance": .verbatim(submission.provenance), "detail": .verbatim(submission.detail),
            "flags": .texts(submission.flags),
            "component_systems": .texts(components.map { $0.code?.system }),
            "component_codes": .texts(components.map { $0.code?.code }),
            "component_displays": .texts(components.map { $0.code?.display }),
            "units": .texts(components.map(\.unit)),
            "t_ms": .ints(observation.tMs), "until_ms": .int8s(observation.untilMs?.map { Int64($0) }),
            "samples": .float8s(components.flatMap(\.values)), "counts": .ints(summaries.map(\.count)),
            "minima": .float8s(summaries.map(\.minimum)), "maxima": .float8s(summaries.map(\.maximum)),
            "means": .float8s(summaries.map(\.mean)), "body_sha256": .bytes(submission.digest),
            "skew_ms": .int8(submission.skewMs),
            "revision": .int(submission.revision),
        ]
    }

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
