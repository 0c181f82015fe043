import SaunterCore
import SaunterStore

/// Validates and stores answer sheets, for single submissions and for batch uploads.
struct AnswerSheetService: Sendable {
    let context: ServerContext

    /// Validates a sheet, determines its timeliness and stores it. Returns after the commit.
    /// - Returns: the receipt, and whether the sheet is new.
    /// - Throws: `Problem` if the sheet is rejected.
    func put(
        _ id: SheetID, _ json: JSON, of enrolmentID: EnrolmentID, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
        guard let body = AnswerSheetBody(json) else { throw Problem(.bodyInvalid) }
        guard let found = try await context.sheetContexts.find(enrolmentID, occasion: body.occasion)
        else {
            throw Problem(.notFound)
        }
        let result = try await put(id, body, found, now: now)
        guard case .object(var receipt) = result.json else { return result }
        receipt["feedback"] = .array(
            try await InsightService(context: context).feedback(
                after: body.questionnaire, of: found.enrolment, at: now))
        return (.object(receipt), result.isNew)
    }

    /// Stores a sheet. The receipt has no feedback yet.
    private func put(
        _ id: SheetID, _ body: AnswerSheetBody, _ found: SheetContext, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
        let activeKeys = try await context.catalogue.activeScoringKeys(
            of: found.enrolment.study, live: found.liveVersion)
        var validator = AnswerSheetValidator(
            enrolment: found.enrolment,
            study: try await study(answeredBy: body.questionnaire, body.version, of: found.enrolment),
            receivedAt: now,
            scoring: try await context.sheetScoring(
                body.questionnaire, body.version, of: found.enrolment, activeKeys))
        let completion = validator.correctedCompletion(of: body)
        if let endedAt = found.enrolment.endedAt, completion >= endedAt {
            return try await replayAfterEnd(id, body, validator)
        }
        validator.facts = try await context.store.findEntryFacts(validator.factsQuery(for: body, id))
        let occasion =
            body.occasion == nil ? try await findOccasion(body, at: completion, validator) : found.occasion
        let submission: SheetSubmission
        do {
            submission = try validator.submission(id, body, occasion: occasion)
        } catch {
            // A replay is confirmed even if validation fails now. Constraints can depend on the corrected completion
            // date, and the correction depends on the clocks of this attempt.
            if try await context.store.isStored(id, of: validator.enrolment.id, digest: body.digest) {
                return (try await storedReceipt(id, validator, replayed: true), false)
            }
            throw Problem(.answerSheetInvalid, error)
        }
        let receipt = try await context.ingest.submit(submission)
        switch receipt {
        // Also after a replay: the server may have stopped between the commit and these steps, so the client retried.
        case .stored, .replayed:
            try await planFollowUps(
                body.questionnaire, of: validator.enrolment, completedAt: completion, now: now, arrived: id)
            try await context.rescoreDependents(
                after: body.questionnaire, of: validator.enrolment, activeKeys, now: now)
            if receipt == .replayed || Self.mayPrecedeItsWalk(submission) {
                try await retryOccasionSearch(submission, of: validator.enrolment, now: now)
            }
        case .conflict, .gone: break
        }
        switch receipt {
        case .stored where Self.mayPrecedeItsWalk(submission) || submission.yieldsOccasion:
            return (try await storedReceipt(id, validator, replayed: false), true)
        case .stored(let duplicateOf):
            return (
                AnswerSheetResponse(
                    submission, duplicateOf: duplicateOf, in: validator.study,
                    keyed: validator.scoring.rule?.keyed
                ).json(replayed: false), true
            )
        case .replayed: return (try await storedReceipt(id, validator, replayed: true), false)
        case .conflict:
            throw Problem(
                .idReused,
                """
                Another sheet is stored under this id. The server keeps that sheet and quarantines this one, up to \
                1000 quarantined records for each enrolment.
                """)
        case .gone: throw Problem(.notFound)
        }
    }

    /// The problem for a body that does not match the schema. It lists the schema faults. If the questionnaire is
    /// known, it also lists the faults of the answers.
    func malformedBodyProblem(
        for json: JSON, _ schemaFaults: [Fault], of enrolmentID: EnrolmentID
    ) async throws -> Problem {
        guard let found = try await context.sheetContexts.find(enrolmentID, occasion: nil) else {
            return Problem(.notFound)
        }
        let study = try await study(
            answeredBy: json["questionnaire"]?.string ?? "", json["version"]?.string ?? "",
            of: found.enrolment)
        guard let code = json["questionnaire"]?.string, let known = study.questionnaires[code],
            known.questionnaire.version == json["version"]?.string, let answers = json["answers"]?.object
        else { return Problem(.bodyInvalid, Faults(schemaFaults)) }
        do {
            _ = try AnswerSheet(
                answers: answers, reasons: json["reasons"]?.object ?? [:], of: known.index)
            return Problem(.bodyInvalid, Faults(schemaFaults))
        } catch {
            return Problem(.bodyInvalid, Faults(schemaFaults + error.list))
        }
    }

    /// Whether the sheet may lack an occasion only because its walk is not stored yet.
    private static func mayPrecedeItsWalk(_ submission: SheetSubmission) -> Bool {
        submission.walk != nil && submission.occasion == nil && submission.timeliness == .outOfWindow
    }

    /// Searches again for the occasion of a sheet, because its walk may have been stored at the same time as the sheet.
    /// A replay is validated again and can find an occasion that the stored sheet lacks.
    private func retryOccasionSearch(
        _ submission: SheetSubmission, of enrolment: Enrolment, now: Instant
    ) async throws {
        guard let walk = submission.walk else { return }
        let study = try await context.study(of: enrolment).study
        try await context.store.placeSheets(of: walk, enrolment.id, study: study, now: now)
    }

    /// Plans the occasions that follow a sheet of this questionnaire. If none follow, schedules the check for the first
    /// notification that a rule sends when the participant submits nothing more.
    private func planFollowUps(
        _ questionnaire: String, of enrolment: Enrolment, completedAt: Instant, now: Instant, arrived: SheetID
    ) async throws {
        let study = try await context.study(of: enrolment).study
        if study.changesPlan(questionnaire) {
            try await context.store.extendHorizon(enrolment.id, study: study, now: now, arrived: arrived)
        } else if let moment = study.firstNotification(ofInactivitySince: completedAt) {
            // Not before `now`. Otherwise a daily mail whose hour has passed would become due again.
            try await context.store.scheduleCheck(at: max(moment, now), of: enrolment.id, now: now)
        }
    }

    /// Replans after a correction or deletion. Occasions that followed the sheet are removed, and an occasion that is
    /// unanswered again gets reminders again.
    func replan(_ enrolment: Enrolment, now: Instant) async throws {
        let study = try await context.study(of: enrolment).study
        try await context.store.extendHorizon(enrolment.id, study: study, now: now)
    }

    /// Handles a sheet that was completed after the participant had left: confirms a replay, rejects a new sheet.
    private func replayAfterEnd(
        _ id: SheetID, _ body: AnswerSheetBody, _ validator: AnswerSheetValidator
    ) async throws -> (json: JSON, isNew: Bool) {
        if try await context.store.isStored(id, of: validator.enrolment.id, digest: body.digest) {
            return (try await storedReceipt(id, validator, replayed: true), false)
        }
        throw Problem(
            .enrolmentWithdrawn, "The sheet was completed after the participant had left the study.")
    }

    /// The occasion for a sheet that names none; see `matchingOccasion(for:…)`. If it is nil, the sheet is stored
    /// without an occasion. An entry fulfils only the unanswered open occasion of the schedule that `any_time` names
    /// for it.
    private func findOccasion(
        _ body: AnswerSheetBody, at completion: Instant, _ validator: AnswerSheetValidator
    ) async throws -> Occasion? {
        let study = validator.study.study
        if study.isAnsweredAnyTime(body.questionnaire) {
            guard let schedule = study.anyTimeRule(of: body.questionnaire)?.fulfilledSchedule,
                !validator.isOverDailyLimit(body)
            else { return nil }
            return try await context.store.listOpenOccasions(
                of: validator.enrolment.id, schedule: schedule, at: completion
            ).first { $0.questionnaire == body.questionnaire }
        }
        return try await context.store.listOccasions(of: validator.enrolment.id).matchingOccasion(
            for: body.questionnaire, completedAt: completion, after: body.walk,
            schedules: study.schedules)
    }

    /// The receipt of a stored sheet.
    private func storedReceipt(_ id: SheetID, _ validator: AnswerSheetValidator, replayed: Bool) async throws
        -> JSON
    {
        guard let sheet = try await context.store.findSheet(validator.enrolment.id, id) else {
            throw Problem(.notFound)
        }
        return AnswerSheetResponse(
            sheet, in: validator.study, keyed: validator.scoring.rule?.keyed,
            language: validator.enrolment.language
        ).json(replayed: replayed)
    }

    /// The response body for a stored sheet with its answers.
    func detail(_ sheet: StoredSheet, of enrolment: Enrolment) async throws -> JSON {
        try await details([sheet], of: enrolment)[0]
    }

    /// The response bodies for stored sheets with their answers, in order.
    func details(_ sheets: [StoredSheet], of enrolment: Enrolment) async throws -> [JSON] {
        let activeKeys = try await context.activeScoringKeys(of: enrolment)
        let rules = try await context.study(of: enrolment).study.anyTime.filter(\.isActiveOne)
        let listed = rules.filter { rule in sheets.contains { $0.questionnaire == rule.questionnaire } }
        let active = try await context.store.findActiveEntries(of: enrolment.id, listed).active
        var details: [JSON] = []
        for sheet in sheets {
            let hasActive = listed.contains { $0.questionnaire == sheet.questionnaire }
            details.append(
                try await detail(
                    sheet, of: enrolment, activeKeys, isActive: hasActive ? active.contains(sheet.id) : nil))
        }
        return details
    }

    /// The ids to which a list is restricted: active entries, the newest sheets, or both. Nil for no restriction.
    func listedIDs(_ query: SheetListQuery, of enrolment: Enrolment) async throws -> [SheetID]? {
        var ids: Set<SheetID>?
        if query.isLatestOnly {
            ids = Set(
                try await context.store.listNewestSheets(
                    enrolment.id, of: query.filter.questionnaire.map { [$0] }, query.filter))
        }
        if query.isActiveOnly {
            let rules = try await context.study(of: enrolment).study.anyTime
            let active = try await context.store.findActiveEntries(of: enrolment.id, rules).active
            ids = ids.map { $0.intersection(active) } ?? active
        }
        return ids.map { $0.sorted() }
    }

    /// - Parameter isActive: nil if the questionnaire of the sheet has no active entries.
    private func detail(
        _ sheet: StoredSheet, of enrolment: Enrolment, _ activeKeys: ActiveScoringKeys, isActive: Bool?
    ) async throws -> JSON {
        let published = try await study(of: sheet, enrolment)
        let keyed = activeKeys[sheet.questionnaire, sheet.version]?.keyed
        var json =
            AnswerSheetResponse(sheet, in: published, keyed: keyed, language: enrolment.language)
            .json(replayed: nil).object ?? [:]
        guard let known = published.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
        let answers = try known.codec.decode(sheet.answers)
        json["active"] = .optional(isActive, JSON.bool)
        json["answers"] = .object(answers.json)
        json["reasons"] = .object(answers.reasons)
        json["presented"] = sheet.presented ?? .null
        return .object(json)
    }

    /// The study version against which a new sheet is validated. This is the enrolment's version, or else the newest
    /// earlier version of the enrolment that contains this questionnaire version. The server therefore accepts a sheet
    /// that was started before a new study version was published.
    func study(
        answeredBy questionnaire: String, _ version: String, of enrolment: Enrolment
    ) async throws -> PublishedStudy {
        let current = try await context.study(of: enrolment)
        if current.questionnaires[questionnaire]?.questionnaire.version == version { return current }
        for earlier in try await context.store.listVersions(of: enrolment.id).reversed() {
            let study = try await context.catalogue.find(enrolment.study, version: earlier.version)
            if let study, study.questionnaires[questionnaire]?.questionnaire.version == version {
                return study
            }
        }
        return current
    }

    /// The data kinds of a stored sheet that the participant did not permit when it was completed.
    /// - Parameter study: the study version under which the sheet was answered.
    func forbiddenKinds(
        in sheet: StoredSheet, of enrolment: Enrolment, _ study: PublishedStudy
    ) async throws -> Set<String> {
        guard let known = study.questionnaires[sheet.questionnaire], !known.itemsByDataKind.isEmpty else {
            return []
        }
        return study.study.forbiddenDataKinds(
            try await context.store.listDataKindGrants(of: enrolment.id), at: sheet.correctedCompletedAt)
    }

    /// The study version under which the sheet was answered. It can be older than the enrolment's version.
    /// - Throws: `Problem` of type `internal` if the version is missing.
    func study(of sheet: StoredSheet, _ enrolment: Enrolment) async throws -> PublishedStudy {
        guard let study = try await context.catalogue.find(enrolment.study, version: sheet.studyVersion)
        else {
            throw Problem(.internalError)
        }
        return study
    }
}
