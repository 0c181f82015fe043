import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Stores observations together; again the same, or an earlier revision, is a replay; a later one is stored in its place; another body of the same
    /// revision goes to quarantine. It can be run again with the same ones.
    /// - Returns: one receipt each, in order; nil where the enrolment was erased.
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

    /// In the order of insert_observation.
    private static func parameters(of submission: ObservationSubmission) -> [Parameter] {
        let observation = submission.observation
        let components = observation.components
        let summaries = components.map { ObservationSummary(of: $0.values) }
        func offset(_ moment: Instant) -> Int {
            submission.offsetMin ?? submission.zone.offset(at: moment) / 60
        }
        return [
            .id(submission.enrolment), .id(submission.id), .text(observation.code.system),
            .text(observation.code.code), .text(observation.code.display), .instant(observation.startedAt),
            .instant(observation.endedAt), .instant(submission.receivedAt), .text(submission.zone.id),
            .int(offset(observation.startedAt)), .int(offset(observation.endedAt)),
            .text(observation.modality.rawValue), .text(observation.statistic), .verbatim(submission.device),
            .verbatim(submission.provenance), .verbatim(submission.detail), .texts(submission.flags),
            .texts(components.map { $0.code?.system }), .texts(components.map { $0.code?.code }),
            .texts(components.map { $0.code?.display }), .texts(components.map(\.unit)),
            .ints(observation.tMs), .int8s(observation.untilMs?.map { Int64($0) }),
            .float8s(components.flatMap(\.values)), .ints(summaries.map(\.count)),
            .float8s(summaries.map(\.minimum)), .float8s(summaries.map(\.maximum)),
            .float8s(summaries.map(\.mean)), .bytes(submission.digest), .int8(submission.skewMs),
            .int(submission.revision),
        ]
    }

    /// Observations that are not deleted, the newest first, from after the given place on, without their samples.
    /// - Parameter codes: only those; nil for all.
    package func listObservations(
        _ enrolment: EnrolmentID, codes: [ObservationCode]? = nil,
        before: (startedAt: Instant, id: ObservationID)?, limit: Int
    ) async throws -> [StoredObservation] {
        try await research.query(
            Statements.observations["list_observations"],
            [
                .id(enrolment), .instant(before?.startedAt ?? .maximum), .uuid(before?.id.uuid ?? .last),
                .texts(codes?.map(Self.text)), .int(limit),
            ]
        ).map { try StoredObservation($0) }
    }

    /// One observation with its samples.
    /// - Parameter evenDeleted: also one that was deleted, for whoever sends it again.
    package func findObservation(
        _ enrolment: EnrolmentID, _ id: ObservationID, evenDeleted: Bool = false
    ) async throws -> StoredObservation? {
        let rows = try await research.query(
            Statements.observations["find_observation"], [.id(enrolment), .id(id), .bool(evenDeleted)])
        return try rows.oneOrNone().map(Self.detailed)
    }

    /// Observations of these codes that touch a span, with their samples, the oldest first.
    /// - Parameter from: this one and those after it; nil for all.
    package func listObservationSamples(
        _ enrolment: EnrolmentID, codes: [ObservationCode], in span: Range<Instant>,
        from: (startedAt: Instant, id: UUID)?, limit: Int
    ) async throws -> [StoredObservation] {
        try await research.query(
            Statements.observations["list_observation_samples"],
            [
                .id(enrolment), .texts(codes.map(Self.text)), .instant(span.lowerBound),
                .instant(span.upperBound), .instant(from?.startedAt ?? .minimum),
                .uuid(from?.id ?? .first), .int(limit),
            ]
        ).map(Self.detailed)
    }

    /// Marks an observation as deleted; false when there was none.
    /// - Throws: `ErasedMeanwhile`.
    package func deleteObservation(
        _ enrolment: EnrolmentID, _ id: ObservationID, now: Instant, audit: AuditEntry
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            _ = try await Self.lockEnrolment(enrolment, in: transaction)
            let rows = try await transaction.query(
                Statements.observations["delete_observation"], [.id(enrolment), .id(id), .instant(now)])
            guard rows.affected > 0 else { return false }
            let (statement, parameters) = audit.call(at: now)
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
