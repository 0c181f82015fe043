import Foundation
import Postgres
import SaunterCore

/// The body of a record whose id belongs to another body.
struct QuarantinedBody: Sendable {
    var enrolment: EnrolmentID
    /// The kind of the record, as stored.
    var kind: String
    /// The id that the device made.
    var id: UUID
    /// SHA-256 of the canonical body.
    var digest: [UInt8]
    var body: JSON
    var receivedAt: Instant
}

extension Store {
    /// Quarantines bodies. Writes them in key order to avoid deadlocks between batches.
    static func quarantine(_ bodies: [QuarantinedBody], in source: some Querying) async throws {
        guard !bodies.isEmpty else { return }
        let keyed = bodies.map { (key: "\($0.enrolment) \($0.id) \($0.digest)", body: $0) }
        _ = try await source.pipeline(
            keyed.sorted { $0.key < $1.key }.map { _, quarantined -> (Statement, Arguments) in
                (
                    Statements.answerSheets["quarantine_body"],
                    [
                        "enrolment_id": .id(quarantined.enrolment), "kind": .text(quarantined.kind),
                        "client_id": .uuid(quarantined.id), "body_sha256": .bytes(quarantined.digest),
                        "body": .bytes(quarantined.body.bytes), "now": .instant(quarantined.receivedAt),
                    ]
                )
            })
    }
}
