import Logging
import Postgres
import SaunterCore
import SaunterStore

/// Takes corrections and deletions in, in whatever order they and their things come.
struct AmendmentDesk: Sendable {
    /// Amendments of one person that wait for what never came: more are no device's doing.
    static let mostWaiting = 10_000

    let context: ServerContext
    /// Who is named in the audit.
    let actor: AuditEntry.Actor
    let requestID: String?
    let now: Instant
    let logger: Logger

    /// An amendment that is stored.
    struct Kept: Sendable {
        var amendment: Amendment
        var isNew: Bool
    }

    /// Keeps an amendment; returns after its commit.
    func keep(
        _ id: AmendmentID, _ kind: Amendment.Kind, _ json: JSON, number: Amendment.Number?,
        of enrolment: Enrolment
    ) async throws -> Kept {
        let body = try AmendmentBody(json, kind)
        let skew = now.skew(of: body.clientNow)
        let amendment = Amendment(
            id: id, subject: body.subject, kind: kind,
            madeAt: min(now, body.moment.adding(milliseconds: skew)), receivedAt: now, body: body.json,
            digest: body.json.sha256, number: number)
        if let endedAt = enrolment.endedAt, amendment.madeAt >= endedAt {
            // One that was kept before the participant left is confirmed again.
            guard try await context.store.isStored(amendment, of: enrolment.id) else {
                throw Problem(.enrolmentWithdrawn, "It was made after the participant had left the study.")
            }
            return Kept(amendment: amendment, isNew: false)
        }
        let receipt = try await context.ingest.submit(
            AmendmentSubmission(study: enrolment.study, enrolment: enrolment.id, amendment: amendment))
        guard receipt != .conflict else {
            throw Problem(
                .idReused,
                "Something else was handed in under this id. It is put aside, as the first thousand of an enrolment are."
            )
        }
        return Kept(amendment: amendment, isNew: receipt == .stored)
    }

    /// What the device is told of one that was kept.
    /// - Throws: the problem for which it was refused, the same each time.
    func receipt(for kept: Kept, _ stored: StoredAmendment?) throws -> JSON {
        guard let stored else { throw Problem(.notFound) }
        if stored.state == .refused { throw AmendmentRefusal.problem(stored.refusal) }
        let state: Amendment.State = stored.state == .applying ? .applied : stored.state
        return [
            "\(kept.amendment.subject.member)": .string(kept.amendment.subject.id),
            "state": .string(state.rawValue), "revision": .optional(stored.revision, JSON.int),
            "replayed": .bool(!kept.isNew),
        ]
    }

    /// Applies what waited for things that are there by now. One that cannot be applied holds up no other: it is tried again later.
    /// - Throws: only where the database cannot be reached.
    func applyDue(of enrolment: Enrolment) async throws {
        while true {
            let due = try await context.store.listDueAmendments(of: enrolment.id)
            var settled = 0
            for amendment in due {
                do {
                    try await apply(amendment, of: enrolment)
                    settled += 1
                } catch let problem as Problem where problem.type.action != .retryLater {
                    try await context.store.refuse(
                        amendment.id, of: enrolment.id, AmendmentRefusal.json(problem))
                    settled += 1
                } catch let error as DatabaseError where error.isOutage {
                    throw error
                } catch {
                    logger.error(
                        "an amendment is stuck: \(error)", metadata: ["amendment": "\(amendment.id)"])
                }
            }
            guard due.count == 500, settled > 0 else { return }
        }
    }

    private func apply(_ amendment: Amendment, of enrolment: Enrolment) async throws {
        switch amendment.subject {
        case .sheet(let id): try await apply(amendment, to: id, of: enrolment)
        case .walk:
            try await context.store.apply(
                amendment, of: enrolment.id, study: try await context.study(of: enrolment).study, now: now,
                audit: entry("walk_deleted", amendment, enrolment))
        case .observation:
            try await context.store.apply(
                amendment, of: enrolment.id, study: try await context.study(of: enrolment).study, now: now,
                audit: entry("observation_deleted", amendment, enrolment))
        }
    }

    private func apply(_ amendment: Amendment, to id: SheetID, of enrolment: Enrolment) async throws {
        let desk = SheetDesk(context: context)
        guard let sheet = try await context.store.findSheet(enrolment.id, id) else { return }
        let published = try await desk.study(of: sheet, enrolment)
        guard let known = published.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
        let inForce = try await context.scoringInForce(of: enrolment)
        // Of what is taken back the occasion may be open again.
        let replans =
            try await context.study(of: enrolment).study.plansFollow(sheet.questionnaire)
            || amendment.kind == .deletion
        let follows = replans || inForce.concerns(sheet.questionnaire)
        if amendment.state == .waiting {
            let isApplied = try await apply(
                amendment, to: sheet, follows ? .applying : .applied, known, of: enrolment, inForce)
            guard isApplied else { return }
        }
        // Whoever dies here leaves it as applying: then somebody else does it.
        if follows {
            if replans { try await desk.planAnew(enrolment, now: now) }
            try await context.settleCovariates(
                after: sheet.questionnaire, of: enrolment, inForce, now: now)
        }
        if follows || amendment.state == .applying {
            try await context.store.finish(amendment.id, of: enrolment.id)
        }
    }

    private func apply(
        _ amendment: Amendment, to sheet: StoredSheet, _ state: Amendment.State,
        _ known: PublishedQuestionnaire, of enrolment: Enrolment, _ inForce: ScoringInForce
    ) async throws -> Bool {
        let edit = known.questionnaire.edit
        switch amendment.kind {
        case .correction:
            let scoring = try await context.sheetScoring(
                sheet.questionnaire, sheet.version, of: enrolment, inForce)
            return try await context.store.apply(
                amendment, to: sheet.id, of: enrolment.id, state: state, now: now,
                audit: entry("sheet_corrected", amendment, enrolment)
            ) { stored in
                try AnswerSheetRoutes.checkTime(edit.correctWithin, stored, amendment.madeAt)
                return try AnswerSheetRoutes.revision(
                    of: stored, answers: amendment.body["answers"]?.object ?? [:],
                    reasons: amendment.body["reasons"]?.object ?? [:],
                    reason: amendment.body["reason"]?.string, known, scoring)
            }
        case .deletion:
            return try await context.store.apply(
                amendment, takingBack: sheet.id, of: enrolment.id, state: state, now: now,
                audit: entry("sheet_deleted", amendment, enrolment)
            ) { stored in
                try AnswerSheetRoutes.checkTime(edit.deleteWithin, stored, amendment.madeAt)
            }
        }
    }

    private func entry(_ action: String, _ amendment: Amendment, _ enrolment: Enrolment) -> AuditEntry {
        AuditEntry(
            actor: actor, action: action, study: enrolment.study, enrolment: enrolment.id,
            requestID: requestID,
            detail: [
                "\(amendment.subject.member)": .string(amendment.subject.id),
                "amendment_id": .id(amendment.id),
            ])
    }
}

extension Amendment.Subject {
    /// As bodies name it.
    fileprivate var member: String {
        switch self {
        case .sheet: "sheet_id"
        case .walk: "walk_id"
        case .observation: "observation_id"
        }
    }
}
