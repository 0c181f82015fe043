import Postgres
import SaunterCore

extension Store {
    /// Stores sheets, and does what follows from them, in one transaction. Idempotent: the caller can repeat the call
    /// with the same sheets if the result of a commit is unknown.
    /// - Throws: `StudyVersionMismatch`.
    func submit(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        try await research.write { transaction in
            let (batch, enrolments) = try await Self.lock(submissions, in: transaction)
            let receipts = batch.receipts(found: try await Self.write(batch, in: transaction))
            try await Self.quarantine(batch.conflicts(receipts), in: transaction)
            try await follow(batch.changes(receipts), enrolments, in: transaction)
            return receipts
        }
    }

    /// Locks the enrolments of the sheets in key order, and reads the occasions that the sheets name and which of those
    /// sheets exist already. Sheets without an occasion need no look-up.
    private static func lock(
        _ submissions: [SheetSubmission], in transaction: Transaction
    ) async throws -> (batch: SheetBatch, enrolments: [EnrolmentID: Enrolment]) {
        var calls: [(Statement, Arguments)] = [
            (
                Statements.enrolments["lock_enrolments"],
                ["enrolment_ids": .ids(Array(Set(submissions.map(\.enrolment))))]
            )
        ]
        let scheduled = submissions.filter { $0.occasion != nil }
        if !scheduled.isEmpty {
            let ids: Arguments = ["enrolment_ids": .ids(scheduled.map(\.enrolment))]
            let occasions: Arguments = ["occasion_ids": .ids(scheduled.compactMap(\.occasion))]
            calls.append((Statements.answerSheets["list_fulfilments"], ids + occasions))
            calls.append(
                (
                    Statements.answerSheets["list_sheet_receipts"],
                    ids + ["sheet_ids": .ids(scheduled.map(\.sheet))]
                ))
        }
        let found = try await transaction.pipeline(calls)
        var enrolments: [EnrolmentID: Enrolment] = [:]
        for row in found[0] {
            let enrolment = try enrolment(row)
            enrolments[enrolment.id] = enrolment
        }
        var fulfilled: [SheetBatch.OccasionKey: SheetID?] = [:]
        var stored: Set<SheetBatch.Key> = []
        if !scheduled.isEmpty {
            for row in found[1] {
                let occasion = SheetBatch.OccasionKey(
                    enrolment: try row.id("enrolment_id"), occasion: try row.id("occasion_id"))
                fulfilled[occasion] = .some(try row.idOptional("sheet_id"))
            }
            for row in found[2] {
                stored.insert(
                    SheetBatch.Key(enrolment: try row.id("enrolment_id"), sheet: try row.id("sheet_id")))
            }
        }
        let batch = SheetBatch(submissions, stored: stored, fulfilled: fulfilled) { enrolments[$0] != nil }
        return (batch, enrolments)
    }

    /// Writes the sheets of the batch.
    /// - Returns: the digests of the sheets that already existed.
    static func write(
        _ batch: SheetBatch, in source: some Querying
    ) async throws -> [SheetBatch.Key: [UInt8]] {
        let rows = SheetRows(batch)
        guard !rows.isEmpty else { return [:] }
        var found: [SheetBatch.Key: [UInt8]] = [:]
        for row in try await source.query(Statements.answerSheets["insert_answer_sheets"], rows.parameters) {
            let key = SheetBatch.Key(enrolment: try row.id("enrolment_id"), sheet: try row.id("sheet_id"))
            found[key] = try row.get("body_sha256")
        }
        return found
    }
}

extension SheetBatch {
    /// The bodies whose id belongs to another body.
    fileprivate func conflicts(_ receipts: [SheetReceipt]) -> [QuarantinedBody] {
        zip(submissions, receipts).filter { $0.1 == .conflict }.map { submission, _ in
            QuarantinedBody(
                enrolment: submission.enrolment, kind: "answer_sheet", id: submission.sheet.uuid,
                digest: submission.digest, body: submission.body, receivedAt: submission.receivedAt)
        }
    }
}
