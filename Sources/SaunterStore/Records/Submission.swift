import Foundation
import Postgres
import SaunterCore

/// The kinds of records that devices submit, in the order in which a transaction stores them.
package enum SubmissionKind: Int, Sendable, Comparable, CaseIterable {
    case calibration, observation, usageEvent, walk, sheet, edit

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A validated record that a device submits under an id that it has made. The type of each kind supplies what differs:
/// its rows, and what follows from it.
package protocol Submission: Sendable {
    /// The kind of the record.
    static var kind: SubmissionKind { get }
    /// The code of the study. The batching queue serves studies round-robin.
    var study: String { get }
    /// The enrolment under which the record is submitted.
    var enrolment: EnrolmentID { get }
    /// The id that the device made.
    var recordID: UUID { get }
    /// Of several revisions under one id the highest one is stored. Lower ones are replays.
    var revision: Int { get }
    /// SHA-256 of the canonical body.
    var digest: [UInt8] { get }
    /// The body as received. It is quarantined if another body has the same id.
    var body: JSON { get }
    /// When the server received it, by the server's clock.
    var receivedAt: Instant { get }
    /// The kind under which the body is quarantined.
    var quarantineKind: String { get }
    /// An estimate of the memory that the record occupies beside its body, in bytes.
    var memory: Int { get }
    /// What follows from the record; nil for nothing.
    var followUps: FollowUps? { get }
    /// Whether the rules of the participant are evaluated as soon as possible. Follow-ups do it in any case.
    var affectsRules: Bool { get }
    /// A walk whose sheets may have arrived before it, or the walk of a sheet that may have; nil for none.
    var walkToPlace: WalkID? { get }
    /// Whether walks of the enrolment may get a calibration when the record is stored.
    var calibratesWalks: Bool { get }

    /// What `store` needs to read, in the round trip that locks the enrolments.
    static func lookUps(for records: [any Submission]) -> [(Statement, Arguments)]

    /// Stores records of this kind, in key order to avoid deadlocks. The same body again, or an earlier revision, is a
    /// replay. The transaction has locked the enrolments.
    /// - Parameters:
    ///   - found: the results of `lookUps`.
    ///   - isPresent: whether an enrolment exists.
    /// - Returns: one receipt per record, in order.
    static func store(
        _ records: [any Submission], _ found: ArraySlice<Rows>, isPresent: (EnrolmentID) -> Bool,
        in transaction: Transaction
    ) async throws -> [StorageReceipt]
}

extension Submission {
    package var revision: Int { 1 }
    package var followUps: FollowUps? { nil }
    package var affectsRules: Bool { false }
    package var walkToPlace: WalkID? { nil }
    package var calibratesWalks: Bool { false }

    package static func lookUps(for records: [any Submission]) -> [(Statement, Arguments)] { [] }
}

/// How a record is stored under its id after the commit.
package enum StorageReceipt: Sendable, Hashable {
    /// New, and it counts.
    case stored
    /// A new sheet that does not count, because this sheet had already fulfilled the occasion.
    case duplicate(of: SheetID)
    /// The same body is already stored under this id.
    case replayed
    /// Another body is stored under this id. This body was quarantined.
    case conflict
    /// The enrolment, or the occasion of a sheet, does not exist.
    case gone

    /// Whether the record is new.
    package var isNew: Bool {
        switch self {
        case .stored, .duplicate: true
        case .replayed, .conflict, .gone: false
        }
    }
}

/// The key of a record: ids of different enrolments are independent.
struct RecordKey: Hashable {
    var enrolment: EnrolmentID
    var id: UUID
}

extension Submission {
    var key: RecordKey { RecordKey(enrolment: enrolment, id: recordID) }

    /// The order of writing. All batches write in this order to avoid deadlocks.
    fileprivate var order: String { "\(enrolment) \(recordID.uuidString.lowercased())" }
}

/// A submission of a kind that has no duplicates.
protocol PlainSubmission: Submission {
    /// Inserts records with different ids, or writes the stored ones unchanged: only a write waits for a synchronous
    /// standby, and a replay must be as durable as the first receipt.
    /// - Returns: the digests of the records that were already stored.
    static func insert(_ records: [Self], in transaction: Transaction) async throws -> [RecordKey: [UInt8]]
}

extension PlainSubmission {
    package static func store(
        _ records: [any Submission], _ found: ArraySlice<Rows>, isPresent: (EnrolmentID) -> Bool,
        in transaction: Transaction
    ) async throws -> [StorageReceipt] {
        // If a batch contains an id twice, the first record of the highest revision is written, as without batching.
        var chosen: [RecordKey: Self] = [:]
        for record in records.lazy.compactMap({ $0 as? Self }) where isPresent(record.enrolment) {
            if record.revision > chosen[record.key]?.revision ?? 0 { chosen[record.key] = record }
        }
        let ordered = chosen.map { (order: $0.value.order, record: $0.value) }.sorted { $0.order < $1.order }
        let known = ordered.isEmpty ? [:] : try await insert(ordered.map(\.record), in: transaction)
        var isNew = Set(chosen.keys).subtracting(known.keys)
        return records.map { record in
            guard let written = chosen[record.key] else { return .gone }
            if record.revision < written.revision { return .replayed }
            if isNew.remove(record.key) != nil { return .stored }
            return known[record.key] ?? written.digest == record.digest ? .replayed : .conflict
        }
    }
}

/// A plain submission of a kind that is written row by row.
protocol RowSubmission: PlainSubmission {
    /// Returns `inserted` and the stored `body_sha256`.
    var insertion: (Statement, Arguments) { get }
}

extension RowSubmission {
    package static func insert(
        _ records: [Self], in transaction: Transaction
    ) async throws -> [RecordKey: [UInt8]] {
        var known: [RecordKey: [UInt8]] = [:]
        for (record, rows) in zip(records, try await transaction.pipeline(records.map(\.insertion))) {
            let row = try rows.one()
            if try !row.get("inserted", as: Bool.self) {
                known[record.key] = try row.get("body_sha256", as: [UInt8].self)
            }
        }
        return known
    }
}
