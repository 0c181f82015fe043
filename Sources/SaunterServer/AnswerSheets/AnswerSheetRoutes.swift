import HTTPTypes
import SaunterCore
import SaunterStore

/// Handing in answers, reading them back, and correcting them where the questionnaire allows it.
struct AnswerSheetRoutes: Sendable {
    let context: ServerContext

    private var desk: SheetDesk { SheetDesk(context: context) }

    static let sheetParameter = PathParameter.uuid(
        "sheet_id", "Made by the device when the sheet is begun; version 7 preferred.")

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Hand in an answer sheet",
            description: """
                Checked against the very version answered; every fault is named. Sending the same sheet again gives the same receipt. Late sheets are \
                kept and judged, never refused. A 2xx means that the sheet is on disk.
                """,
            parameters: [.enrolment, Self.sheetParameter],
            body: .json(SheetBody.schema, limit: 1024 * 1024, example: Self.example, leavesFaults: true),
            outcomes: [
                .json(.created, "Stored.", SheetWire.receiptSchema),
                .json(
                    .ok, "Stored before, with the same content; or kept beside the sheet that it duplicates.",
                    SheetWire.receiptSchema),
            ], problems: [.answerSheetInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let id: EnrolmentID = try call.id("id")
            guard try await context.memberships.owns(call.caller.account, id, now: call.now) else {
                throw Problem(.notFound)
            }
            guard call.formFaults.isEmpty else {
                throw try await desk.refusal(of: call.body, call.formFaults, of: id)
            }
            let result = try await desk.put(try call.id("sheet_id"), call.body, of: id, now: call.now)
            // A duplicate is kept, but nothing that counts was made by it.
            let isDuplicate = result.json["duplicate_of"].map { !$0.isNull } ?? false
            return .json(result.isNew && !isDuplicate ? .created : .ok, result.json)
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
            summary: "The caller's sheets, the last received first", parameters: [.enrolment],
            query: [.limit, .cursor],
            outcomes: [.json(.ok, "Sheets with their answers.", .page(of: SheetWire.detailSchema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let place = try call.place()
            let sheets = try await context.store.listSheets(
                enrolment.id, before: place.map { ($0.moment, SheetID($0.id)) }, limit: call.pageLimit + 1)
            let page = sheets.prefix(call.pageLimit)
            var items: [JSON] = []
            for sheet in page { items.append(try await desk.detail(sheet, of: enrolment)) }
            let next =
                sheets.count > page.count
                ? page.last.map { PagePlace(moment: $0.receivedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                items, next: next, path: "/v1/enrolments/\(enrolment.id)/answer-sheets",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "One sheet with its answers", parameters: [.enrolment, Self.sheetParameter],
            outcomes: [
                .json(.ok, "The newest revision.", SheetWire.detailSchema, headers: [Outcome.entityTag])
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let sheet = try await find(call, enrolment)
            let detail = try await desk.detail(sheet, of: enrolment)
            return .json(.ok, detail, entityTag: EntityTag(Self.tag(sheet), of: detail))
        }
    }

    var patch: Route {
        Route(
            .patch, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Correct answers",
            description: """
                Where the questionnaire allows it. Named items are replaced, null takes an answer back, the others stay; the revision before is kept. With \
                If-Match only the revision that is meant is corrected.
                """,
            parameters: [.enrolment, Self.sheetParameter],
            body: .json(
                .named(
                    "AnswerSheetCorrection",
                    .object([
                        .required("answers", .map(of: .any)), .optional("reasons", .map(of: .any)),
                        .optional("reason", .string(maxLength: 500), "Why, in the participant's words."),
                    ])), limit: 1024 * 1024, example: ["answers": ["mood": 4]]),
            outcomes: [.json(.ok, "The new revision.", SheetWire.detailSchema, headers: [Outcome.entityTag])],
            problems: [.answerSheetInvalid, .correctionClosed, .enrolmentWithdrawn, .preconditionFailed]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
            let sheet = try await find(call, enrolment)
            let published = try await desk.study(of: sheet, enrolment)
            guard let known = published.questionnaires[sheet.questionnaire] else {
                throw Problem(.internalError)
            }
            try Self.checkSize(call.body)
            guard !(call.body["answers"]?.object?.isEmpty ?? true) || call.body["reasons"] != nil else {
                // Nothing was corrected, so there is no revision of it.
                let detail = try await desk.detail(sheet, of: enrolment)
                return .json(.ok, detail, entityTag: EntityTag(Self.tag(sheet), of: detail))
            }
            let (body, now) = (call.body, call.now)
            let inForce = try await context.scoringInForce(of: enrolment)
            let scoring = try await context.sheetScoring(
                sheet.questionnaire, sheet.version, of: enrolment, inForce)
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "sheet_corrected", study: enrolment.study,
                enrolment: enrolment.id, requestID: call.requestID, detail: ["sheet_id": .id(sheet.id)])
            let revised = try await context.store.revise(enrolment.id, sheet.id, now: now, audit: audit) {
                stored in
                if call.headers[.ifMatch] != nil { try call.requireMatch(Self.tag(stored)) }
                guard stored.deletedAt == nil else { throw Problem(.notFound) }
                try Self.checkTime(known.questionnaire.edit.correctWithin, stored, now)
                return try Self.revision(of: stored, by: body, known, scoring)
            }
            guard let revised else { throw Problem(.notFound) }
            try await context.settleCovariates(after: sheet.questionnaire, of: enrolment, inForce, now: now)
            let detail = try await desk.detail(revised, of: enrolment)
            return .json(.ok, detail, entityTag: EntityTag(Self.tag(revised), of: detail))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/answer-sheets/{sheet_id}", who: .participant, tag: "Answer sheets",
            summary: "Take a sheet back",
            description:
                "Where the questionnaire allows it. Its occasion is settled by the first of its duplicates, or else open again.",
            parameters: [.enrolment, Self.sheetParameter], outcomes: [.empty(.noContent, "Taken back.")],
            problems: [.correctionClosed, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
            guard let sheet = try await context.store.findSheet(enrolment.id, call.id("sheet_id")) else {
                throw Problem(.notFound)
            }
            let now = call.now
            guard sheet.deletedAt == nil else {
                // Whoever asks again may do so because the server died between the two.
                try await planAnew(without: sheet, of: enrolment, now: now)
                throw Problem(.notFound)
            }
            let published = try await desk.study(of: sheet, enrolment)
            let limit = published.questionnaires[sheet.questionnaire]?.questionnaire.edit.deleteWithin
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "sheet_deleted", study: enrolment.study,
                enrolment: enrolment.id, requestID: call.requestID, detail: ["sheet_id": .id(sheet.id)])
            let deleted = try await context.store.deleteSheet(enrolment.id, sheet.id, now: now, audit: audit)
            { stored in
                guard stored.deletedAt == nil else { throw Problem(.notFound) }
                try Self.checkTime(limit, stored, now)
            }
            guard deleted else { throw Problem(.notFound) }
            try await planAnew(without: sheet, of: enrolment, now: now)
            return .noContent
        }
    }

    /// What follows when a sheet was taken back: its occasion may be open again, and nothing is known from it any more.
    private func planAnew(without sheet: StoredSheet, of enrolment: Enrolment, now: Instant) async throws {
        try await desk.planAnew(enrolment, now: now)
        try await context.settleCovariates(
            after: sheet.questionnaire, of: enrolment, try await context.scoringInForce(of: enrolment),
            now: now)
    }

    private func find(_ call: Call<Identity>, _ enrolment: Enrolment) async throws -> StoredSheet {
        guard let sheet = try await context.store.findSheet(enrolment.id, call.id("sheet_id")),
            sheet.deletedAt == nil
        else { throw Problem(.notFound) }
        return sheet
    }

    /// Of the revision, which is what a correction means: what a sheet is a duplicate of, its occasion and its scores may change without one.
    private static func tag(_ sheet: StoredSheet) -> EntityTag { EntityTag("r\(sheet.revision)-\(sheet.id)") }

    static func checkTime(_ limit: Int?, _ sheet: StoredSheet, _ now: Instant) throws {
        guard let limit, now < sheet.receivedAt.adding(seconds: limit) else {
            throw Problem(
                .correctionClosed,
                limit == nil
                    ? "This questionnaire does not allow it." : "The time in which it was allowed is over.")
        }
    }

    private static let mostNamed = 1000

    /// Before anything is locked: each named item is looked up among the others, so that their number has to have an end.
    static func checkSize(_ body: JSON) throws {
        for member in ["answers", "reasons"] where body[member]?.object?.count ?? 0 > mostNamed {
            throw Problem(
                .answerSheetInvalid,
                Faults([
                    Fault(
                        pointer: "/\(member)", code: "too_many",
                        detail: "No questionnaire has more than \(mostNamed) items.")
                ]))
        }
    }

    /// The stored answers with the named ones replaced, checked as a whole.
    private static func revision(
        of stored: StoredSheet, by body: JSON, _ known: PublishedQuestionnaire, _ scoring: SheetScoring
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
            of: stored, answers: answers, reasons: given, reason: body["reason"]?.string, known, scoring)
    }

    /// A revision that holds these answers, checked as a whole.
    static func revision(
        of stored: StoredSheet, answers: JSONObject, reasons: JSONObject, reason: String?,
        _ known: PublishedQuestionnaire, _ scoring: SheetScoring
    ) throws -> SheetRevision {
        let sheet: AnswerSheet
        do {
            sheet = try AnswerSheet(
                answers: answers, reasons: reasons, of: known.index,
                today: stored.zone.localDate(at: stored.correctedCompletedAt), language: stored.language)
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
