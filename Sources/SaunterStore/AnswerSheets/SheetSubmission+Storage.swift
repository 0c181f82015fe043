import Foundation
import Postgres
import SaunterCore

extension SheetSubmission: Submission {
    package static var kind: SubmissionKind { .sheet }
    package var recordID: UUID { sheet.uuid }
    package var quarantineKind: String { "answer_sheet" }
    package var memory: Int { 1024 }
    package var walkToPlace: WalkID? { mayPrecedeItsWalk ? walk : nil }

    /// The occasions that the sheets name, and which of those sheets exist already. Sheets without an occasion need no
    /// look-up.
    package static func lookUps(for records: [any Submission]) -> [(Statement, Arguments)] {
        let scheduled = records.lazy.compactMap { $0 as? Self }.filter { $0.occasion != nil }
        guard !scheduled.isEmpty else { return [] }
        let enrolments: Arguments = ["enrolment_ids": .ids(scheduled.map(\.enrolment))]
        let occasions: Arguments = ["occasion_ids": .ids(scheduled.compactMap(\.occasion))]
        return [
            (Statements.answerSheets["list_fulfilments"], enrolments + occasions),
            (
                Statements.answerSheets["list_sheet_receipts"],
                enrolments + ["sheet_ids": .ids(scheduled.map(\.sheet))]
            ),
        ]
    }

    package static func store(
        _ records: [any Submission], _ found: ArraySlice<Rows>, isPresent: (EnrolmentID) -> Bool,
        in transaction: Transaction
    ) async throws -> [StorageReceipt] {
        var fulfilled: [SheetBatch.OccasionKey: SheetID?] = [:]
        var stored: Set<RecordKey> = []
        if let (fulfilments, receipts) = found.first.flatMap({ first in found.last.map { (first, $0) } }) {
            for row in fulfilments {
                let occasion = SheetBatch.OccasionKey(
                    enrolment: try row.id("enrolment_id"), occasion: try row.id("occasion_id"))
                fulfilled[occasion] = .some(try row.idOptional("sheet_id"))
            }
            for row in receipts { stored.insert(try key(row)) }
        }
        let batch = SheetBatch(
            records.compactMap { $0 as? Self }, stored: stored, fulfilled: fulfilled, isPresent: isPresent)
        return batch.receipts(found: try await write(batch, in: transaction))
    }

    /// Writes the sheets of the batch.
    /// - Returns: the digests of the sheets that already existed.
    static func write(
        _ batch: SheetBatch, in source: some Querying
    ) async throws -> [RecordKey: [UInt8]] {
        let rows = SheetRows(batch)
        guard !rows.isEmpty else { return [:] }
        var found: [RecordKey: [UInt8]] = [:]
        for row in try await source.query(Statements.answerSheets["insert_answer_sheets"], rows.parameters) {
            found[try key(row)] = try row.get("body_sha256")
        }
        return found
    }

    private static func key(_ row: Row) throws -> RecordKey {
        let sheet: SheetID = try row.id("sheet_id")
        return RecordKey(enrolment: try row.id("enrolment_id"), id: sheet.uuid)
    }
}
