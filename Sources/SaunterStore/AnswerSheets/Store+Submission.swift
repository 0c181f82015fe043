import Postgres
import SaunterCore

extension Store {
    /// Writes sheets in one transaction: lock and look (one round trip), decide, write (one round trip), commit. It can be run again with the
    /// same sheets whenever the outcome of a commit is unknown.
    func submit(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        try await research.write { transaction in
            let placed = submissions.filter { $0.occasion != nil }
            let found = try await transaction.pipeline([
                (
                    Statements.answerSheets["lock_occasions"],
                    [.ids(placed.map(\.enrolment)), .ids(placed.compactMap(\.occasion))]
                ),
                (
                    Statements.answerSheets["list_sheet_receipts"],
                    [.ids(submissions.map(\.enrolment)), .ids(submissions.map(\.sheet))]
                ),
            ])
            var batch = SheetBatch(stored: [:], settled: [:])
            for row in found[0] {
                let place = SheetBatch.Place(
                    enrolment: try row.id("enrolment_id"), occasion: try row.id("occasion_id"))
                batch.settled[place] = .some(try row.idOptional("sheet_id"))
            }
            for row in found[1] {
                let key = SheetBatch.Key(enrolment: try row.id("enrolment_id"), sheet: try row.id("sheet_id"))
                batch.stored[key] = try row.get("body_sha256")
            }
            let receipts = batch.receipts(for: submissions)
            var calls: [(Statement, [Parameter])] = []
            var inserts: [Int] = []
            for place in Self.writingOrder(of: submissions) {
                if case .stored = receipts[place] { inserts.append(calls.count) }
                calls += Self.calls(for: submissions[place], receipt: receipts[place])
            }
            let written = try await transaction.pipeline(calls)
            for place in inserts {
                guard try written[place].one().get("inserted", as: Bool.self) else { throw SheetRace() }
            }
            return receipts
        }
    }

    /// By key, so that two batches that hold the same sheets never wait for each other in a circle; in one batch the first stays first.
    private static func writingOrder(of submissions: [SheetSubmission]) -> [Int] {
        let keys = submissions.map { ($0.enrolment.description, $0.sheet.description) }
        return submissions.indices.sorted { left, right in
            keys[left] == keys[right] ? left < right : keys[left] < keys[right]
        }
    }

    private static func calls(
        for submission: SheetSubmission, receipt: SheetReceipt
    ) -> [(Statement, [Parameter])] {
        switch receipt {
        case .gone: []
        case .replayed:
            [
                (
                    Statements.answerSheets["touch_answer_sheet"],
                    [.id(submission.enrolment), .id(submission.sheet)]
                )
            ]
        case .conflict:
            [
                quarantineCall(
                    submission.enrolment, kind: "answer_sheet", id: submission.sheet,
                    digest: submission.digest,
                    body: submission.body, now: submission.receivedAt)
            ]
        case .stored(let duplicateOf): insertCalls(submission, duplicateOf: duplicateOf)
        }
    }

    static func quarantineCall<Tag>(
        _ enrolment: EnrolmentID, kind: String, id: ID<Tag>, digest: [UInt8], body: [UInt8], now: Instant
    ) -> (Statement, [Parameter]) {
        (
            Statements.answerSheets["quarantine_body"],
            [.id(enrolment), .text(kind), .id(id), .bytes(digest), .bytes(body), .instant(now)]
        )
    }

    static func insertCalls(
        _ submission: SheetSubmission, duplicateOf: SheetID?
    ) -> [(Statement, [Parameter])] {
        let offsets = (
            submission.zone.offset(at: submission.startedAt) / 60,
            submission.zone.offset(at: submission.completedAt) / 60
        )
        var calls: [(Statement, [Parameter])] = [
            (
                Statements.answerSheets["insert_answer_sheet"],
                [
                    .id(submission.enrolment), .id(submission.sheet), .id(submission.occasion),
                    .text(submission.questionnaire), .text(submission.version),
                    .text(submission.studyVersion),
                    .text(submission.consentVersion), .text(submission.language),
                    .instant(submission.startedAt),
                    .instant(submission.completedAt), .instant(submission.receivedAt),
                    .text(submission.zone.id),
                    .int(offsets.0), .int(offsets.1), .int8(submission.skewMs),
                    .text(submission.standing.rawValue),
                    .int8(submission.lateS), .texts(submission.flags), .bool(submission.completes),
                    .id(duplicateOf),
                    .id(submission.walk),
                    .int2s(submission.answers.slots), .float8s(submission.answers.numbers),
                    .texts(submission.cleared),
                    .verbatim(submission.timings), .bytes(submission.digest),
                    .json(submission.answers.repeatedJSON), .json(submission.presented),
                ]
            )
        ]
        calls += answerCalls(
            submission.enrolment, submission.sheet, revision: 1, texts: submission.answers.texts,
            scores: submission.scores, keyVersion: submission.keyVersion, keyDigest: submission.keyDigest,
            covariates: submission.covariates, now: submission.receivedAt)
        if submission.completes, duplicateOf == nil, let occasion = submission.occasion {
            calls.append(
                (
                    Statements.answerSheets["complete_occasion"],
                    [
                        .id(submission.enrolment), .id(occasion), .instant(submission.correctedCompletedAt),
                        .id(submission.sheet),
                    ]
                ))
        }
        return calls
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
