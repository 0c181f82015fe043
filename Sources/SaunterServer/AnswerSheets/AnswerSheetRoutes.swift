import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to submit answer sheets, read them, and correct or delete them if the questionnaire allows it.
struct AnswerSheetRoutes: Sendable {
    let context: ServerContext

    private var service: AnswerSheetService { AnswerSheetService(context: context) }

    static let sheetParameter = PathParameter.uuid(
        "sheet_id",
        "The UUID that the device generates when the participant starts the sheet. Version 7 is preferred.")

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Submit an answer sheet",
            description: """
                The server checks the answers against the questionnaire version that was answered and reports every \
                fault. Submitting the same sheet again returns the same receipt. A late sheet is stored, and \
                `standing` reports how late it was; a sheet is never rejected because it is late. A 2xx response means \
                that the sheet is committed to the database and durable. A sheet of a locked questionnaire is stored with the \
                flag `not_entitled`.
                """,
            parameters: [.enrolment, Self.sheetParameter],
            body: .json(
                AnswerSheetBody.schema, limit: 1024 * 1024, example: Self.example, handlerReportsFaults: true),
            outcomes: [
                .json(.created, "The sheet is stored.", AnswerSheetResponse.receiptSchema),
                .json(
                    .ok,
                    """
                    The same sheet was already stored, or the sheet is stored as a duplicate because another sheet \
                    had already fulfilled the occasion.
                    """,
                    AnswerSheetResponse.receiptSchema),
            ], problems: [.entitlementRequired, .answerSheetInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let id: EnrolmentID = try call.id("id")
            guard try await context.memberships.owns(call.caller.account, id, now: call.now) else {
                throw Problem(.notFound)
            }
            guard call.schemaFaults.isEmpty else {
                throw try await service.malformedBodyProblem(
                    for: call.body, call.schemaFaults, of: id, at: call.now)
            }
            let result = try await service.put(try call.id("sheet_id"), call.body, of: id, now: call.now)
            // A duplicate is stored but does not count.
            return .json(
                result.isNew && result.result != .duplicate ? .created : .ok, result.json)
        }
    }

    private static let example: JSON = [
        "questionnaire": "who_5", "version": "1.0.0", "started_at": "2026-11-21T08:00:00.000Z",
        "completed_at": "2026-11-21T08:02:10.000Z", "time_zone": "Europe/Berlin",
        "client_now": "2026-11-21T08:02:11.000Z", "answers": ["q1": 3, "q2": 4, "q3": 2, "q4": 5, "q5": 1],
    ]

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/answer-sheets", who: .participant, tag: "Answer sheets",
            summary: "List the caller's answer sheets, the newest first",
            description: """
                Without parameters, the list contains the sheets of all questionnaires, the last received first. With \
                every order, the pages together contain each sheet once, unless the sheets change in the meantime.
                """,
            parameters: [.enrolment], query: SheetListQuery.parameters,
            outcomes: [
                .json(.ok, "Answer sheets with their answers.", .page(of: AnswerSheetResponse.detailSchema))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let query = try SheetListQuery(call, studies: try await context.followedStudies(of: enrolment))
            let position = try query.position(in: call)
            var filter = query.filter
            filter.ids = try await service.listedIDs(query, of: enrolment)
            let sheets = try await context.store.listSheets(
                enrolment.id, filter, order: query.order, before: position, limit: call.pageLimit + 1)
            let page = Array(sheets.prefix(call.pageLimit))
            return .page(
                try await service.details(page, of: enrolment),
                next: sheets.count > page.count ? page.last.map(query.cursor(after:)) : nil,
                path: "/v1/enrolments/\(enrolment.id)/answer-sheets",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Get one answer sheet with its answers",
            parameters: [.enrolment, Self.sheetParameter],
            outcomes: [
                .json(
                    .ok, "The newest revision of the sheet.", AnswerSheetResponse.detailSchema,
                    headers: [Outcome.entityTag])
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let sheet = try await find(call, enrolment)
            let detail = try await service.detail(sheet, of: enrolment)
            return .json(.ok, detail, entityTag: EntityTag(Self.tag(sheet), of: detail))
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Correct answers of an answer sheet",
            description: """
                The questionnaire must allow corrections, and its time limit for corrections must not have passed. The \
                value of each item in `answers` replaces the stored answer; null removes the stored answer. All other \
                items keep their answers. The server keeps the previous revision. With If-Match, the server corrects \
                the sheet only if the entity tag names its newest revision.
                """,
            parameters: [.enrolment, Self.sheetParameter],
            body: .json(
                .named(
                    "AnswerSheetCorrection",
                    .object([
                        .required(
                            "answers", .map(of: .any),
                            "The changed answers by `linkId`; null removes an answer."),
                        .optional("reasons", .map(of: .any), "Why an item has no answer, by `linkId`."),
                        .optional(
                            "reason", .string(maxLength: 500),
                            "The reason for the correction, in the participant's words."),
                    ])), limit: 1024 * 1024, example: ["answers": ["mood": 4]]),
            outcomes: [
                .json(
                    .ok, "The new revision of the sheet.", AnswerSheetResponse.detailSchema,
                    headers: [Outcome.entityTag])
            ],
            problems: [
                .entitlementRequired, .answerSheetInvalid, .correctionClosed, .enrolmentWithdrawn,
                .preconditionFailed,
            ]
        ) { call in
            try await correct(call)
        }
    }

    private func correct(_ call: Call<Identity>) async throws -> Reply {
        let enrolment = try await context.enrolment(call)
        guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
        let sheet = try await find(call, enrolment)
        let published = try await service.study(of: sheet, enrolment)
        guard let known = published.questionnaires[sheet.questionnaire] else {
            throw Problem(.internalError)
        }
        try Self.checkNamedItemCount(call.body)
        guard !(call.body["answers"]?.object?.isEmpty ?? true) || call.body["reasons"] != nil else {
            // The body corrects nothing, so the server creates no revision.
            let detail = try await service.detail(sheet, of: enrolment)
            return .json(.ok, detail, entityTag: EntityTag(Self.tag(sheet), of: detail))
        }
        let (body, now) = (call.body, call.now)
        let activeKeys = try await context.activeScoringKeys(of: enrolment)
        let scoring = try await context.sheetScoring(
            sheet.questionnaire, sheet.version, of: enrolment, activeKeys)
        let forbidden = try await service.forbiddenKinds(in: sheet, of: enrolment, published)
        let isLocked = try await context.isLocked(
            sheet.questionnaire, of: enrolment, answeredUnder: published.study, at: now)
        let audit = AuditEntry(
            actor: .participant, action: "sheet_corrected", study: enrolment.study,
            enrolment: enrolment.id, record: sheet.id.uuid, requestID: call.requestID)
        let followUps = try await context.followUps(
            of: .correction, to: sheet.questionnaire, enrolment, activeKeys, now: now)
        let revised = try await context.store.revise(
            enrolment.id, sheet.id, followUps, now: now, audit: audit
        ) { stored in
            if call.headers[.ifMatch] != nil { try call.requireMatch(Self.tag(stored)) }
            guard stored.deletedAt == nil else { throw Problem(.notFound) }
            try Self.checkEditWindow(known.questionnaire.edit.correctWithin, stored, now)
            return try Self.hidingFaults(isLocked) {
                try Self.revision(of: stored, by: body, known, scoring, forbiddenKinds: forbidden)
            }
        }
        guard let revised else { throw Problem(.notFound) }
        let detail = try await service.detail(revised, of: enrolment)
        return .json(.ok, detail, entityTag: EntityTag(Self.tag(revised), of: detail))
    }

    /// Runs the body. The faults of answers name questions, so those of a locked questionnaire become
    /// `entitlement-required`.
    static func hidingFaults<Result>(_ isLocked: Bool, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let problem as Problem where isLocked && problem.type == .answerSheetInvalid {
            throw Problem(.entitlementRequired, "The answers do not match the locked questionnaire.")
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Delete an answer sheet",
            description: """
                The questionnaire must allow deletions, and its time limit for deletions must not have passed. If the \
                sheet fulfilled an occasion, its first duplicate fulfils the occasion instead. Without a duplicate, \
                the occasion is unanswered again. If the questionnaire defines `deletion: purge`, the answers of all \
                revisions are removed for good. Otherwise they stay stored and are in no dataset.
                """,
            parameters: [.enrolment, Self.sheetParameter],
            outcomes: [.empty(.noContent, "The sheet is deleted.")],
            problems: [.correctionClosed, .enrolmentWithdrawn]
        ) { call in
            try await remove(call)
        }
    }

    private func remove(_ call: Call<Identity>) async throws -> Reply {
        let enrolment = try await context.enrolment(call)
        guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
        let sheet = try await find(call, enrolment)
        let now = call.now
        let published = try await service.study(of: sheet, enrolment)
        let policy = published.questionnaires[sheet.questionnaire]?.questionnaire.edit ?? EditPolicy()
        let audit = AuditEntry(
            actor: .participant, action: policy.deletion.auditAction, study: enrolment.study,
            enrolment: enrolment.id, record: sheet.id.uuid, requestID: call.requestID)
        let followUps = try await context.followUps(
            of: .deletion, to: sheet.questionnaire, enrolment,
            try await context.activeScoringKeys(of: enrolment), now: now)
        let deleted = try await context.store.deleteSheet(
            enrolment.id, sheet.id, followUps, purges: policy.deletion == .purge, now: now, audit: audit
        ) { stored in
            guard stored.deletedAt == nil else { throw Problem(.notFound) }
            try Self.checkEditWindow(policy.deleteWithin, stored, now)
        }
        guard deleted else { throw Problem(.notFound) }
        return .noContent
    }

    private func find(_ call: Call<Identity>, _ enrolment: Enrolment) async throws -> StoredSheet {
        guard let sheet = try await context.store.findSheet(enrolment.id, call.id("sheet_id")),
            sheet.deletedAt == nil
        else { throw Problem(.notFound) }
        return sheet
    }

    /// The tag for `If-Match`. It names only the revision, because that is what a correction replaces. The occasion,
    /// the duplicate status and the scores of a sheet can change without a new revision.
    private static func tag(_ sheet: StoredSheet) -> EntityTag { EntityTag("r\(sheet.revision)-\(sheet.id)") }

    /// Requires that the questionnaire allows an edit of the sheet at `now`.
    /// - Throws: `Problem` of type `correction-closed`.
    static func checkEditWindow(_ limit: EditLimit, _ sheet: StoredSheet, _ now: Instant) throws {
        switch limit {
        case .always: break
        case .never: throw Problem(.correctionClosed, "This questionnaire does not allow this edit.")
        case .within(let seconds):
            guard now < sheet.receivedAt.adding(seconds: seconds) else {
                throw Problem(
                    .correctionClosed,
                    "This edit was allowed until \(seconds) seconds after the server received the sheet.")
            }
        }
    }

    private static let maximumNamedItems = 1000

    /// Rejects a correction that names too many items, before the server locks anything. Each named item is looked up
    /// among all others, so their number needs an upper bound.
    /// - Throws: `Problem` of type `answer-sheet-invalid`.
    static func checkNamedItemCount(_ body: JSON) throws {
        for member in ["answers", "reasons"] where body[member]?.object?.count ?? 0 > maximumNamedItems {
            throw Problem(
                .answerSheetInvalid,
                Faults([
                    Fault(
                        pointer: "/\(member)", code: "too_many",
                        detail: "A correction names at most \(maximumNamedItems) items.")
                ]))
        }
    }

    /// The revision that replaces the named answers of the stored sheet. All answers are validated again.
    /// - Throws: `Problem` of type `answer-sheet-invalid`.
    private static func revision(
        of stored: StoredSheet, by body: JSON, _ known: PublishedQuestionnaire, _ scoring: SheetScoring,
        forbiddenKinds: Set<String>
    ) throws -> SheetRevision {
        let before = try known.codec.decode(stored.answers)
        var answers = before.json
        var reasons = before.givenReasons.members
        for member in body["answers"]?.object ?? [:] {
            reasons.removeAll { $0.name == member.name }
            answers[member.name] = member.value
        }
        var given = JSONObject(reasons)
        for member in body["reasons"]?.object ?? [:] { given[member.name] = member.value }
        return try revision(
            of: stored, answers: answers, reasons: given, reason: body["reason"]?.string, known, scoring,
            forbiddenKinds: forbiddenKinds)
    }

    /// The revision that replaces all answers of the stored sheet by `answers`, validated and scored.
    /// - Parameter forbiddenKinds: the data kinds that the participant did not permit when the sheet was completed.
    /// - Throws: `Problem` of type `answer-sheet-invalid`.
    static func revision(
        of stored: StoredSheet, answers: JSONObject, reasons: JSONObject, reason: String?,
        _ known: PublishedQuestionnaire, _ scoring: SheetScoring, forbiddenKinds: Set<String>
    ) throws -> SheetRevision {
        let sheet: AnswerSheet
        do {
            sheet = try AnswerSheet(
                answers: answers, reasons: reasons, of: known.index,
                today: stored.zone.local(of: stored.correctedCompletedAt).date, language: stored.language,
                forbiddenKinds: forbiddenKinds)
        } catch {
            throw Problem(.answerSheetInvalid, error)
        }
        let completion = stored.correctedCompletedAt
        let day = LocalDate(
            of: completion, offsetMinutes: stored.zone.offset(at: stored.completedAt) / 60)
        let scored = scoring.result(for: sheet, stored.id, of: known, at: completion, on: day)
        return SheetRevision(
            answers: known.codec.encode(sheet), cleared: sheet.cleared, scores: scored.scores,
            keyVersion: scored.keyVersion, keyDigest: scored.keyDigest, covariates: scored.covariates,
            reason: reason, warnings: sheet.answerFlags)
    }
}

extension EditPolicy.Deletion {
    /// The action of a deletion in the audit.
    var auditAction: String {
        switch self {
        case .keep: "sheet_deleted"
        case .purge: "sheet_purged"
        }
    }
}
