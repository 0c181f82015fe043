import Postgres
import SaunterCore

extension Store {
    /// Writes sheets in one transaction. If some enrolments were erased concurrently, only their sheets get `gone`.
    /// Idempotent: the caller can repeat the call with the same sheets if the result of a commit is unknown.
    func submit(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        do {
            return try await writeInOneTransaction(submissions)
        } catch let fault as DatabaseError where fault.sqlState == .foreignKeyViolation {
            let present = try await presentEnrolments(of: submissions)
            let kept = submissions.filter { present.contains($0.enrolment) }
            guard kept.count < submissions.count else { throw fault }
            var receipts = try await submit(kept)[...]
            return submissions.map { submission in
                present.contains(submission.enrolment) ? receipts.popFirst() ?? .gone : .gone
            }
        }
    }

    private func presentEnrolments(of submissions: [SheetSubmission]) async throws -> Set<EnrolmentID> {
        let asked = Array(Set(submissions.map(\.enrolment)))
        let rows = try await research.query(
            Statements.enrolments["find_enrolments"], ["enrolment_ids": .ids(asked)])
        return Set(try rows.map { try $0.id("enrolment_id") })
    }

    /// Sheets without an occasion need no look-up before they are written, so one statement outside an explicit
    /// transaction writes them. With occasions the steps are: lock and look up (one round trip), decide, write (one
    /// round trip), commit.
    private func writeInOneTransaction(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        guard submissions.contains(where: { $0.occasion != nil }) else {
            let batch = SheetBatch(submissions)
            let receipts = try batch.receipts(found: try await Self.write(batch, in: research))
            try await Self.quarantine(batch.conflicts(receipts), in: research)
            return receipts
        }
        return try await research.write { transaction in
            let batch = try await Self.lockOccasions(of: submissions, in: transaction)
            let receipts = try batch.receipts(found: try await Self.write(batch, in: transaction))
            try await Self.quarantine(batch.conflicts(receipts), in: transaction)
            return receipts
        }
    }

    /// Locks the occasions that the sheets name, and looks up which of those sheets exist already.
    private static func lockOccasions(
        of submissions: [SheetSubmission], in transaction: Transaction
    ) async throws -> SheetBatch {
        let scheduled = submissions.filter { $0.occasion != nil }
        let found = try await transaction.pipeline([
            (
                Statements.answerSheets["lock_occasions"],
                [
                    "enrolment_ids": .ids(scheduled.map(\.enrolment)),
                    "occasion_ids": .ids(scheduled.compactMap(\.occasion)),
                ]
            ),
            (
                Statements.answerSheets["list_sheet_receipts"],
                [
                    "enrolment_ids": .ids(scheduled.map(\.enrolment)),
                    "sheet_ids": .ids(scheduled.map(\.sheet)),
                ]
            ),
        ])
        var fulfilled: [SheetBatch.LockedOccasion: SheetID?] = [:]
        for row in found[0] {
            let occasion = SheetBatch.LockedOccasion(
                enrolment: try row.id("enrolment_id"), occasion: try row.id("occasion_id"))
            fulfilled[occasion] = .some(try row.idOptional("sheet_id"))
        }
        var stored: Set<SheetBatch.Key> = []
        for row in found[1] {
            stored.insert(
                SheetBatch.Key(enrolment: try row.id("enrolment_id"), sheet: try row.id("sheet_id")))
        }
        return SheetBatch(submissions, stored: stored, fulfilled: fulfilled)
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
