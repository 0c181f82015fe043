import Foundation
import Postgres
import SaunterCore

/// A record that a device submits under an id that it has made. All kinds except sheets and usage events are stored by
/// this type. Only observations have revisions above 1.
struct ClientRecord: Sendable {
    struct Key: Hashable {
        var enrolment: EnrolmentID
        var id: UUID
    }

    var enrolment: EnrolmentID
    var id: UUID
    /// The kind under which the body is quarantined.
    var kind: String
    /// Inserts the record, or writes the stored one unchanged. Returns `inserted` and the stored `body_sha256`.
    var insert: (Statement, Arguments)
    var digest: [UInt8]
    /// The body as received. It is quarantined if another body has the same id.
    var body: JSON
    var receivedAt: Instant
    /// Of several revisions under one id the highest one is stored. Lower ones are replays.
    var revision = 1

    var key: Key { Key(enrolment: enrolment, id: id) }

    /// The order of writing. All batches write in this order to avoid deadlocks.
    fileprivate var order: String { "\(enrolment) \(id.uuidString.lowercased())" }
}

/// How a record is stored under its id after the commit.
package enum StorageReceipt: Sendable, Hashable {
    case stored, replayed, conflict
}

extension Store {
    /// Writes records of many participants in two round trips: lock the enrolments, insert the records.
    /// - Returns: the enrolments that exist, and one receipt per record; nil if the enrolment was erased.
    static func write(
        _ records: [ClientRecord], in transaction: Transaction
    ) async throws -> (enrolments: [EnrolmentID: Enrolment], receipts: [StorageReceipt?]) {
        var enrolments: [EnrolmentID: Enrolment] = [:]
        let locked = try await transaction.query(
            Statements.enrolments["lock_enrolments"],
            ["enrolment_ids": .ids(Array(Set(records.map(\.enrolment))))])
        for row in locked {
            let enrolment = try enrolment(row)
            enrolments[enrolment.id] = enrolment
        }
        // If a batch contains an id twice, the first record of the highest revision is written, as without batching.
        var chosen: [ClientRecord.Key: ClientRecord] = [:]
        for record in records where enrolments[record.enrolment] != nil {
            if record.revision > chosen[record.key]?.revision ?? 0 { chosen[record.key] = record }
        }
        let ordered = chosen.values.sorted { $0.order < $1.order }
        let results = try await transaction.pipeline(ordered.map(\.insert))
        var digests: [ClientRecord.Key: [UInt8]] = [:]
        var isNew: Set<ClientRecord.Key> = []
        for (record, rows) in zip(ordered, results) {
            let row = try rows.one()
            digests[record.key] = try row.get("body_sha256", as: [UInt8].self)
            if try row.get("inserted", as: Bool.self) { isNew.insert(record.key) }
        }
        let receipts = records.map { record -> StorageReceipt? in
            guard let digest = digests[record.key], let written = chosen[record.key] else { return nil }
            if record.revision < written.revision { return .replayed }
            if isNew.remove(record.key) != nil { return .stored }
            return digest == record.digest ? .replayed : .conflict
        }
        let conflicts = zip(records, receipts).filter { $0.1 == .conflict }.map { record, _ in
            QuarantinedBody(
                enrolment: record.enrolment, kind: record.kind, id: record.id, digest: record.digest,
                body: record.body, receivedAt: record.receivedAt)
        }
        try await quarantine(conflicts, in: transaction)
        return (enrolments, receipts)
    }
}
