import Postgres
import SaunterCore

extension Store {
    /// Writes sheets together; those of enrolments that were erased meanwhile are gone, and nobody else's. It can be run again with the same sheets
    /// whenever the outcome of a commit is unknown.
    func submit(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        do {
            return try await writeTogether(submissions)
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
        let rows = try await research.query(Statements.enrolments["find_enrolments"], [.ids(asked)])
        return Set(try rows.map { try $0.id("enrolment_id") })
    }

    /// Sheets without an occasion need nothing to be known before they are written: one statement is their transaction. With occasions it is:
    /// lock and look (one round trip), decide, write (one round trip), commit.
    private func writeTogether(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        guard submissions.contains(where: { $0.occasion != nil }) else {
            let batch = SheetBatch(submissions)
            let receipts = try batch.receipts(found: try await Self.write(batch, in: research))
            try await Self.quarantine(batch, receipts, in: research)
            return receipts
        }
        return try await research.write { transaction in
            let batch = try await Self.look(submissions, in: transaction)
            let receipts = try batch.receipts(found: try await Self.write(batch, in: transaction))
            try await Self.quarantine(batch, receipts, in: transaction)
            return receipts
        }
    }

    /// Locks the occasions of the sheets that name one, and looks which of those sheets are there.
    private static func look(
        _ submissions: [SheetSubmission], in transaction: Transaction
    ) async throws -> SheetBatch {
        let placed = submissions.filter { $0.occasion != nil }
        let found = try await transaction.pipeline([
            (
                Statements.answerSheets["lock_occasions"],
                [.ids(placed.map(\.enrolment)), .ids(placed.compactMap(\.occasion))]
            ),
            (
                Statements.answerSheets["list_sheet_receipts"],
                [.ids(placed.map(\.enrolment)), .ids(placed.map(\.sheet))]
            ),
        ])
        var settled: [SheetBatch.Place: SheetID?] = [:]
        for row in found[0] {
            let place = SheetBatch.Place(
                enrolment: try row.id("enrolment_id"), occasion: try row.id("occasion_id"))
            settled[place] = .some(try row.idOptional("sheet_id"))
        }
        var stored: Set<SheetBatch.Key> = []
        for row in found[1] {
            stored.insert(
                SheetBatch.Key(enrolment: try row.id("enrolment_id"), sheet: try row.id("sheet_id")))
        }
        return SheetBatch(submissions, stored: stored, settled: settled)
    }

    /// - Returns: the digests of those that were there already.
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

    /// Puts aside what stands under an id that is another's, by key, so that two batches never wait for each other in a circle.
    private static func quarantine(
        _ batch: SheetBatch, _ receipts: [SheetReceipt], in source: some Querying
    ) async throws {
        let refused = zip(batch.submissions, receipts).filter { $0.1 == .conflict }.map(\.0)
        guard !refused.isEmpty else { return }
        let keyed = refused.map { (key: "\($0.enrolment) \($0.sheet) \($0.digest)", submission: $0) }
        _ = try await source.pipeline(
            keyed.sorted { $0.key < $1.key }.map { _, submission in
                quarantineCall(
                    submission.enrolment, kind: "answer_sheet", id: submission.sheet,
                    digest: submission.digest, body: submission.body.bytes, now: submission.receivedAt)
            })
    }

    static func quarantineCall<Tag>(
        _ enrolment: EnrolmentID, kind: String, id: ID<Tag>, digest: [UInt8], body: [UInt8], now: Instant
    ) -> (Statement, [Parameter]) {
        (
            Statements.answerSheets["quarantine_body"],
            [.id(enrolment), .text(kind), .id(id), .bytes(digest), .bytes(body), .instant(now)]
        )
    }

    /// Free text and scores of one revision.
    static func answerCalls(
        _ enrolment: EnrolmentID, _ sheet: SheetID, revision: Int, texts: [String: String], scores: [Score],
        keyVersion: String?, keyDigest: String?, covariates: String?, now: Instant
    ) -> [(Statement, [Parameter])] {
        var calls: [(Statement, [Parameter])] = []
        if !texts.isEmpty {
            let sorted = texts.sorted { $0.key < $1.key }
            calls.append(
                (
                    Statements.answerSheets["insert_answer_texts"],
                    [
                        .id(enrolment), .id(sheet), .int(revision), .texts(sorted.map(\.key)),
                        .texts(sorted.map(\.value)),
                    ]
                ))
        }
        if !scores.isEmpty {
            calls.append(
                (
                    Statements.answerSheets["insert_scores"],
                    [
                        .id(enrolment), .id(sheet), .int(revision), .text(keyVersion), .text(keyDigest),
                        .text(Scoring.engineVersion), .instant(now), .texts(scores.map(\.scale)),
                        .float8s(scores.map(\.value)), .texts(scores.map { $0.reason?.rawValue }),
                        .texts(scores.map(\.band)), .ints(scores.map(\.itemCount)),
                        .ints(scores.map(\.answeredCount)),
                        .ints(scores.map(\.imputedCount)), .texts(scores.map(\.exclusion)),
                        .float8s(scores.map(\.standardError)), .text(covariates),
                    ]
                ))
        }
        return calls
    }
}
