import Foundation
import SaunterCore
import SaunterStore

/// Validates and stores answer sheets, for single submissions and for batch uploads.
struct AnswerSheetService: Sendable {
    let context: ServerContext

    /// Validates a sheet, determines its timeliness and stores it with everything that follows from it. Returns after
    /// the commit.
    /// - Returns: the receipt, and whether the sheet is new.
    /// - Throws: `Problem` if the sheet is rejected.
    func put(
        _ id: SheetID, _ json: JSON, of enrolmentID: EnrolmentID, now: Instant
    ) async throws -> RecordReceipt {
        guard let body = AnswerSheetBody(json) else { throw Problem(.bodyInvalid) }
        guard let found = try await context.sheetContexts.find(enrolmentID, occasion: body.occasion) else {
            throw Problem(.notFound)
        }
        let result = try await put(id, body, found, now: now)
        guard case .object(var receipt) = result.json else { return result }
        receipt["feedback"] = .array(
            try await InsightService(context: context).feedback(
                after: body.questionnaire, of: found.enrolment, at: now))
        return RecordReceipt(.object(receipt), result.result)
    }

    /// Stores a sheet. The receipt has no feedback yet.
    private func put(
        _ id: SheetID, _ body: AnswerSheetBody, _ found: SheetContext, now: Instant
    ) async throws -> RecordReceipt {
        let enrolment = found.enrolment
        let activeKeys = try await context.catalogue.activeScoringKeys(
            of: enrolment.study, live: found.liveVersion)
        var validator = AnswerSheetValidator(
            enrolment: enrolment,
            study: try await study(answeredBy: body.questionnaire, body.version, of: enrolment),
            receivedAt: now,
            scoring: try await context.sheetScoring(
                body.questionnaire, body.version, of: enrolment, activeKeys))
        let completion = validator.correctedCompletion(of: body)
        if let endedAt = enrolment.endedAt, completion >= endedAt {
            return try await replayAfterEnd(id, body, validator)
        }
        validator.facts = try await context.store.findEntryFacts(validator.factsQuery(for: body, id))
        validator.isEntitled = try await isEntitled(body, validator, at: completion)
        let occasion =
            body.occasion == nil ? try await findOccasion(body, at: completion, validator) : found.occasion
        var submission: SheetSubmission
        do {
            submission = try validator.submission(id, body, occasion: occasion)
        } catch {
            // A replay is confirmed even if validation fails now. Constraints can depend on the corrected completion
            // date, and the correction depends on the clocks of this attempt.
            if try await context.store.isStored(id, of: enrolment.id, digest: body.digest) {
                return try await storedReceipt(id, validator, replayed: true)
            }
            // The faults name questions.
            if try await context.isLocked(
                body.questionnaire, of: enrolment, answeredUnder: validator.study.study, at: now)
            {
                throw Problem(.entitlementRequired, "The answers do not match the locked questionnaire.")
            }
            throw Problem(.answerSheetInvalid, error)
        }
        submission.followUps = try await context.followUps(
            of: body.questionnaire, completedAt: completion, mayBePlaced: submission.mayPrecedeItsWalk,
            enrolment, activeKeys, now: now)
        switch try await context.save(submission) {
        case .stored where submission.mayPrecedeItsWalk || submission.yieldsOccasion:
            return try await storedReceipt(id, validator, replayed: false)
        case .stored: return receipt(submission, duplicateOf: nil, validator)
        case .duplicate(let original): return receipt(submission, duplicateOf: original, validator)
        case .replayed, .conflict, .gone:
            return try await storedReceipt(id, validator, replayed: true)
        }
    }

    /// The problem for a body that does not match the schema. It lists the schema faults. If the questionnaire is
    /// known, it also lists the faults of the answers.
    func malformedBodyProblem(
        for json: JSON, _ schemaFaults: [Fault], of enrolmentID: EnrolmentID, at now: Instant
    ) async throws -> Problem {
        guard let found = try await context.sheetContexts.find(enrolmentID, occasion: nil) else {
            return Problem(.notFound)
        }
        let study = try await study(
            answeredBy: json["questionnaire"]?.string ?? "", json["version"]?.string ?? "",
            of: found.enrolment)
        guard let code = json["questionnaire"]?.string, let known = study.questionnaires[code],
            known.questionnaire.version == json["version"]?.string, let answers = json["answers"]?.object,
            // The faults name questions.
            try await !context.isLocked(code, of: found.enrolment, answeredUnder: study.study, at: now)
        else { return Problem(.bodyInvalid, Faults(schemaFaults)) }
        do {
            _ = try AnswerSheet(
                answers: answers, reasons: json["reasons"]?.object ?? [:], of: known.index)
            return Problem(.bodyInvalid, Faults(schemaFaults))
        } catch {
            return Problem(.bodyInvalid, Faults(schemaFaults + error.list))
        }
    }

    /// Whether the participant had the entitlement that the questionnaire needs when the sheet was completed. Without a
    /// query for questionnaires that need none.
    private func isEntitled(
        _ body: AnswerSheetBody, _ validator: AnswerSheetValidator, at completion: Instant
    ) async throws -> Bool {
        guard let needed = validator.study.study.anyTimeRule(of: body.questionnaire)?.entitlement else {
            return true
        }
        return try await context.store.listEntitlements(of: validator.enrolment.id, at: completion)
            .codes(at: completion).contains(needed)
    }

    /// Handles a sheet that was completed after the participant had left: confirms a replay, rejects a new sheet.
    private func replayAfterEnd(
        _ id: SheetID, _ body: AnswerSheetBody, _ validator: AnswerSheetValidator
    ) async throws -> RecordReceipt {
        if try await context.store.isStored(id, of: validator.enrolment.id, digest: body.digest) {
            return try await storedReceipt(id, validator, replayed: true)
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

    /// The receipt of a new sheet.
    private func receipt(
        _ submission: SheetSubmission, duplicateOf original: SheetID?, _ validator: AnswerSheetValidator
    ) -> RecordReceipt {
        RecordReceipt(
            AnswerSheetResponse(
                submission, duplicateOf: original, in: validator.study, keyed: validator.scoring.rule?.keyed
            ).json(replayed: false),
            Self.result(submission.timeliness, duplicateOf: original))
    }

    /// The receipt of a stored sheet.
    private func storedReceipt(
        _ id: SheetID, _ validator: AnswerSheetValidator, replayed: Bool
    ) async throws -> RecordReceipt {
        guard let sheet = try await context.store.findSheet(validator.enrolment.id, id) else {
            throw Problem(.notFound)
        }
        return RecordReceipt(
            AnswerSheetResponse(
                sheet, in: validator.study, keyed: validator.scoring.rule?.keyed,
                language: validator.enrolment.language
            ).json(replayed: replayed),
            replayed ? .replayed : Self.result(sheet.timeliness, duplicateOf: sheet.duplicateOf))
    }

    private static func result(
        _ timeliness: Timeliness, duplicateOf original: SheetID?
    ) -> RecordReceipt.Result {
        if original != nil { return .duplicate }
        return timeliness == .outOfWindow ? .outOfWindow : .accepted
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

extension AnswerSheetService: RecordService {
    static var bodySchema: Schema { AnswerSheetBody.schema }

    func put(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        try await put(SheetID(id), body, of: enrolment.id, now: now)
    }
}
