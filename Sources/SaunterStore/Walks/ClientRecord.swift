import Foundation
import Postgres
import SaunterCore

/// What a device made under an id of its own and hands in once: a walk, a calibration; or an observation, of which there may be revisions.
struct ClientRecord: Sendable {
    struct Key: Hashable {
        var enrolment: EnrolmentID
        var id: UUID
    }

    var enrolment: EnrolmentID
    var id: UUID
    /// As the quarantine names it.
    var kind: String
    /// Inserts it or touches what is there, and tells `inserted` and the stored `body_sha256`.
    var insert: (Statement, [Parameter])
    var digest: [UInt8]
    /// As it came, kept aside when its id is taken by another.
    var body: JSON
    var receivedAt: Instant
    /// Of several under one id the highest is stored, and those below it are replays.
    var revision = 1

    var key: Key { Key(enrolment: enrolment, id: id) }

    /// For the order of writing: two batches that hold the same records never wait for each other in a circle.
    fileprivate var order: String { "\(enrolment) \(id.uuidString.lowercased())" }
}

extension Store {
    /// Writes records of many participants in this transaction, in two round trips: lock the enrolments, insert.
    /// - Returns: the enrolments that are there, and one receipt per record, nil where the enrolment was erased.
    static func write(
        _ records: [ClientRecord], in transaction: Transaction
    ) async throws -> (enrolments: [EnrolmentID: Enrolment], receipts: [StorageReceipt?]) {
        var enrolments: [EnrolmentID: Enrolment] = [:]
        let locked = try await transaction.query(
            Statements.enrolments["lock_enrolments"], [.ids(Array(Set(records.map(\.enrolment))))])
        for row in locked {
            let enrolment = try enrolment(row)
            enrolments[enrolment.id] = enrolment
        }
        // Of records under one id in this batch the first of the highest revision is written, as it would have been alone.
        var chosen: [ClientRecord.Key: ClientRecord] = [:]
        for record in records where enrolments[record.enrolment] != nil {
            if record.revision > chosen[record.key]?.revision ?? 0 { chosen[record.key] = record }
        }
        let writing = chosen.values.sorted { $0.order < $1.order }
        let written = try await transaction.pipeline(writing.map(\.insert))
        var held: [ClientRecord.Key: [UInt8]] = [:]
        var isNew: Set<ClientRecord.Key> = []
        for (record, rows) in zip(writing, written) {
            let row = try rows.one()
            held[record.key] = try row.get("body_sha256", as: [UInt8].self)
            if try row.get("inserted", as: Bool.self) { isNew.insert(record.key) }
        }
        let receipts = records.map { record -> StorageReceipt? in
            guard let digest = held[record.key], let written = chosen[record.key] else { return nil }
            if record.revision < written.revision { return .replayed }
            if isNew.remove(record.key) != nil { return .stored }
            return digest == record.digest ? .replayed : .conflict
        }
        try await quarantine(records, receipts, in: transaction)
        return (enrolments, receipts)
    }

    private static func quarantine(
        _ records: [ClientRecord], _ receipts: [StorageReceipt?], in transaction: Transaction
    ) async throws {
        let refused = zip(records, receipts).filter { $0.1 == .conflict }.map(\.0)
        guard !refused.isEmpty else { return }
        let sorted = refused.map { (order: "\($0.order) \($0.digest)", record: $0) }
            .sorted { $0.order < $1.order }
        _ = try await transaction.pipeline(
            sorted.map { _, record in
                quarantineCall(
                    record.enrolment, kind: record.kind, id: ID<Never>(record.id), digest: record.digest,
                    body: record.body.bytes, now: record.receivedAt)
            })
    }
}
