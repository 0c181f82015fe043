import SaunterCore
import SaunterStore

/// Takes sheets in: by single requests and from a device's outbox alike.
struct SheetDesk: Sendable {
    let context: ServerContext

    /// Checks, judges, stores and answers a sheet; returns after its commit.
    /// - Returns: the reply, and whether the sheet is new.
    func put(
        _ id: SheetID, _ json: JSON, of enrolmentID: EnrolmentID, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
        guard let body = SheetBody(json) else { throw Problem(.bodyInvalid) }
        guard let found = try await context.sheetContexts.find(enrolmentID, occasion: body.occasion)
        else {
            throw Problem(.notFound)
        }
        let inForce = try await context.catalogue.scoring(of: found.enrolment.study, live: found.liveVersion)
        let intake = SheetIntake(
            enrolment: found.enrolment,
            study: try await study(answeredBy: body.questionnaire, body.version, of: found.enrolment),
            receivedAt: now,
            scoring: try await context.sheetScoring(
                body.questionnaire, body.version, of: found.enrolment, inForce))
        let completion = intake.correctedCompletion(of: body)
        if let endedAt = found.enrolment.endedAt, completion >= endedAt {
            return try await replayAfterEnd(id, body, intake)
        }
        let occasion =
            body.occasion == nil ? try await match(body, at: completion, intake) : found.occasion
        let submission: SheetSubmission
        do {
            submission = try intake.submission(id, body, occasion: occasion)
        } catch {
            // What was taken once is confirmed again, also where the day on which it comes again would refuse it.
            if try await context.store.isStored(id, of: intake.enrolment.id, digest: body.digest) {
                return (try await stored(id, intake, replayed: true), false)
            }
            throw Problem(.answerSheetInvalid, error)
        }
        let receipt = try await context.ingest.submit(submission)
        switch receipt {
        // Replays too: whoever sends again may do so because the server died between the two.
        case .stored, .replayed:
            try await planWhatFollows(
                body.questionnaire, of: intake.enrolment, completedAt: completion, now: now, arrived: id)
            try await context.settleCovariates(
                after: body.questionnaire, of: intake.enrolment, inForce, now: now)
            if receipt == .replayed || Self.mayComeTooEarly(submission) {
                try await placeAfterAll(submission, of: intake.enrolment, now: now)
            }
        case .conflict, .gone: break
        }
        switch receipt {
        case .stored where Self.mayComeTooEarly(submission):
            return (try await stored(id, intake, replayed: false), true)
        case .stored(let duplicateOf):
            return (
                SheetWire(
                    submission, duplicateOf: duplicateOf, in: intake.study,
                    keyed: intake.scoring.rule?.keyed
                ).json(replayed: false), true
            )
        case .replayed: return (try await stored(id, intake, replayed: true), false)
        case .conflict:
            throw Problem(
                .idReused,
                "Another sheet was handed in under this id. It is put aside, as the first thousand of an enrolment are."
            )
        case .gone: throw Problem(.notFound)
        }
    }

    /// Of a body that has not the form of a sheet: the faults of its form, and, as far as they can be told, those of its answers.
    func refusal(
        of json: JSON, _ formFaults: [Fault], of enrolmentID: EnrolmentID
    ) async throws -> Problem {
        guard let found = try await context.sheetContexts.find(enrolmentID, occasion: nil) else {
            return Problem(.notFound)
        }
        let study = try await study(
            answeredBy: json["questionnaire"]?.string ?? "", json["version"]?.string ?? "",
            of: found.enrolment)
        guard let code = json["questionnaire"]?.string, let known = study.questionnaires[code],
            known.questionnaire.version == json["version"]?.string, let answers = json["answers"]?.object
        else { return Problem(.bodyInvalid, Faults(formFaults)) }
        do {
            _ = try AnswerSheet(
                answers: answers, reasons: json["reasons"]?.object ?? [:], of: known.index)
            return Problem(.bodyInvalid, Faults(formFaults))
        } catch {
            return Problem(.bodyInvalid, Faults(formFaults + error.list))
        }
    }

    /// Whether a sheet has no occasion only because its walk may be on its way.
    private static func mayComeTooEarly(_ submission: SheetSubmission) -> Bool {
        submission.walk != nil && submission.occasion == nil && submission.standing == .outOfWindow
    }

    /// Looks again for the occasion of a sheet whose walk may have been stored while the sheet was. What is sent again is judged anew, with an occasion perhaps
    /// that the stored one lacks.
    private func placeAfterAll(
        _ submission: SheetSubmission, of enrolment: Enrolment, now: Instant
    ) async throws {
        guard let walk = submission.walk else { return }
        let study = try await context.study(of: enrolment).study
        try await context.store.placeSheets(of: walk, enrolment.id, study: study, now: now)
    }

    /// Plans the occasions that follow on a sheet of this questionnaire, and the notice of the silence that may follow on any.
    private func planWhatFollows(
        _ questionnaire: String, of enrolment: Enrolment, completedAt: Instant, now: Instant, arrived: SheetID
    ) async throws {
        let study = try await context.study(of: enrolment).study
        if study.plansFollow(questionnaire) {
            try await context.store.extendHorizon(enrolment.id, study: study, now: now, arrived: arrived)
        } else if let moment = study.firstNotice(ofSilenceSince: completedAt) {
            // Never before now: an hour of the daily mail that is over does not come again.
            try await context.store.lookAgain(at: max(moment, now), of: enrolment.id, now: now)
        }
    }

    /// Plans anew when a sheet was taken back or corrected: what followed it goes, and where its occasion is open again there are reminders again.
    func planAnew(_ enrolment: Enrolment, now: Instant) async throws {
        let study = try await context.study(of: enrolment).study
        try await context.store.extendHorizon(enrolment.id, study: study, now: now)
    }

    /// A sheet that was stored before the participant left is confirmed again; a new one is not taken any more.
    private func replayAfterEnd(
        _ id: SheetID, _ body: SheetBody, _ intake: SheetIntake
    ) async throws -> (json: JSON, isNew: Bool) {
        if try await context.store.isStored(id, of: intake.enrolment.id, digest: body.digest) {
            return (try await stored(id, intake, replayed: true), false)
        }
        throw Problem(.enrolmentWithdrawn, "It was completed after the participant had left the study.")
    }

    /// The occasion of a sheet that names none: see `choice(for:completedAt:after:schedules:)`. Where there is none the sheet is kept without.
    private func match(
        _ body: SheetBody, at completion: Instant, _ intake: SheetIntake
    ) async throws -> Occasion? {
        guard !intake.study.study.anyTime.contains(body.questionnaire) else { return nil }
        return try await context.store.listOccasions(of: intake.enrolment.id).choice(
            for: body.questionnaire, completedAt: completion, after: body.walk,
            schedules: intake.study.study.schedules)
    }

    private func stored(_ id: SheetID, _ intake: SheetIntake, replayed: Bool) async throws -> JSON {
        guard let sheet = try await context.store.findSheet(intake.enrolment.id, id) else {
            throw Problem(.notFound)
        }
        return SheetWire(sheet, in: intake.study, keyed: intake.scoring.rule?.keyed).json(replayed: replayed)
    }

    /// A stored sheet with its answers, as its participant sees it.
    func detail(_ sheet: StoredSheet, of enrolment: Enrolment) async throws -> JSON {
        let published = try await study(of: sheet, enrolment)
        let inForce = try await context.scoringInForce(of: enrolment)
        let keyed = inForce[sheet.questionnaire, sheet.version]?.keyed
        var json = SheetWire(sheet, in: published, keyed: keyed).json(replayed: nil).object ?? [:]
        guard let known = published.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
        let answers = try known.codec.decode(sheet.answers)
        json["answers"] = .object(answers.json)
        json["reasons"] = .object(answers.reasons)
        json["presented"] = sheet.presented ?? .null
        return .object(json)
    }

    /// The study version by which a new sheet is judged: the enrolment's, or the last one that it followed before and
    /// that asks this version of the questionnaire. A sheet that was begun before a new version came is not lost.
    private func study(
        answeredBy questionnaire: String, _ version: String, of enrolment: Enrolment
    ) async throws -> PublishedStudy {
        let present = try await context.study(of: enrolment)
        if present.questionnaires[questionnaire]?.questionnaire.version == version { return present }
        for earlier in try await context.store.listVersions(of: enrolment.id).reversed() {
            let study = try await context.catalogue.find(enrolment.study, version: earlier.version)
            if let study, study.questionnaires[questionnaire]?.questionnaire.version == version {
                return study
            }
        }
        return present
    }

    /// The study version that a sheet was answered under, which may be older than the enrolment's.
    func study(of sheet: StoredSheet, _ enrolment: Enrolment) async throws -> PublishedStudy {
        guard let study = try await context.catalogue.find(enrolment.study, version: sheet.studyVersion)
        else {
            throw Problem(.internalError)
        }
        return study
    }
}
