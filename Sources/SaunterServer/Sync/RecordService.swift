import Foundation
import SaunterCore
import SaunterStore

/// How the server treats the records of one kind: the schema of their bodies, and how a record is validated and stored.
/// Single requests, batch uploads and imports use it. `docs/contributing.md` says how a kind is added.
protocol RecordService: Sendable {
    /// The schema of a body.
    static var bodySchema: Schema { get }

    init(context: ServerContext)

    /// Validates and stores a record. Returns after the commit of everything that follows from it.
    /// - Parameter body: it matches the schema.
    /// - Returns: the receipt, and whether the record is new.
    /// - Throws: `Problem` or `Faults` if the record is rejected.
    func put(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt
}

extension RecordService {
    /// Checks a body before it is stored.
    /// - Throws: `Problem` of type `body-invalid` if the body does not match the schema.
    func checkAndPut(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        try Self.bodySchema.check(body)
        return try await put(id, body, of: enrolment, now: now)
    }
}

extension Schema {
    /// - Throws: `Problem` of type `body-invalid` if the body does not match.
    func check(_ body: JSON) throws(Problem) {
        let faults = faults(in: body)
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
    }
}
