import Logging
import Postgres
import SaunterCore
import SaunterStore

/// Stores edits (corrections and deletions) and applies them. An edit can arrive before the record that it edits.
struct EditService: Sendable {
    /// The largest number of edits of one enrolment that wait for their records. No real device exceeds it.
    static let maximumWaitingEdits = 10_000

    let context: ServerContext
    /// The actor in the audit entries.
    let actor: AuditEntry.Actor
    let requestID: String?
    let now: Instant
    let logger: Logger

    /// An edit that is stored.
    struct AcceptedEdit: Sendable {
        var edit: Edit
        var isNew: Bool
    }

    /// Stores an edit without applying it. Returns after the commit.
    /// - Parameter number: the device's sequence number, if it counts its submissions.
    /// - Throws: `Problem` if the edit is rejected.
    func submit(
        _ id: EditID, _ kind: Edit.Kind, _ json: JSON, number: Edit.Number?,
        of enrolment: Enrolment
    ) async throws -> AcceptedEdit {
        let body = try EditBody(json, kind)
        let skew = now.skew(of: body.clientNow)
        let edit = Edit(
            id: id, subject: body.subject, kind: kind,
            madeAt: min(now, body.moment.adding(milliseconds: skew)), receivedAt: now, body: body.json,
            digest: body.json.sha256, number: number)
        if let endedAt = enrolment.endedAt, edit.madeAt >= endedAt {
            // A replay of an edit that was stored before the participant left is confirmed.
            guard try await context.store.isStored(edit, of: enrolment.id) else {
                throw Problem(
                    .enrolmentWithdrawn, "The edit was made after the participant had left the study.")
            }
            return AcceptedEdit(edit: edit, isNew: false)
        }
        let receipt = try await context.save(
            EditSubmission(study: enrolment.study, enrolment: enrolment.id, edit: edit))
        return AcceptedEdit(edit: edit, isNew: receipt.isNew)
    }

    /// The receipt of an accepted edit.
    /// - Throws: the problem for which the edit was refused; every retry gets the same problem.
    func receipt(for accepted: AcceptedEdit, _ stored: StoredEdit?) throws -> JSON {
        guard let stored else { throw Problem(.notFound) }
        if stored.state == .refused { throw EditRefusal.problem(stored.refusal) }
        return [
            "\(accepted.edit.subject.member)": .string(accepted.edit.subject.id),
            "state": .string(stored.state.rawValue), "revision": .optional(stored.revision, JSON.int),
            "replayed": .bool(!accepted.isNew),
        ]
    }

    /// Applies the edits whose records are stored. An edit that fails does not block others and is retried later.
    /// - Throws: if the database cannot be reached, if the edits cannot be listed, or if a refusal cannot be stored.
    func applyDue(of enrolment: Enrolment) async throws {
        while true {
            let due = try await context.store.listDueEdits(of: enrolment.id)
            var processed = 0
            for edit in due {
                do {
                    try await apply(edit, of: enrolment)
                    processed += 1
                } catch let problem as Problem where problem.type.action != .retryLater {
                    try await context.store.refuse(
                        edit.id, of: enrolment.id, EditRefusal.json(problem))
                    processed += 1
                } catch let error as DatabaseError where error.isOutage {
                    throw error
                } catch is StudyVersionMismatch {
                    // The enrolment follows another version now. `EditLoop` reads it again.
                    continue
                } catch {
                    logger.error(
                        "an edit cannot be applied", metadata: ["edit": "\(edit.id)", "error": "\(error)"])
                }
            }
            // `listDueEdits` returns at most 500 edits. If none of them could be processed, the next list is the same.
            guard due.count == 500, processed > 0 else { return }
        }
    }

    private func apply(_ edit: Edit, of enrolment: Enrolment) async throws {
        switch edit.subject {
        case .sheet(let id): try await apply(edit, to: id, of: enrolment)
        case .walk:
            try await context.store.apply(
                edit, of: enrolment.id, study: try await context.study(of: enrolment).study, now: now,
                audit: entry("walk_deleted", edit, enrolment))
        case .observation:
            try await context.store.apply(
                edit, of: enrolment.id, study: try await context.study(of: enrolment).study, now: now,
                audit: entry("observation_deleted", edit, enrolment))
        }
    }

    private func apply(_ edit: Edit, to id: SheetID, of enrolment: Enrolment) async throws {
        let service = AnswerSheetService(context: context)
        guard let sheet = try await context.store.findSheet(enrolment.id, id) else { return }
        let published = try await service.study(of: sheet, enrolment)
        guard let known = published.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
        let activeKeys = try await context.activeScoringKeys(of: enrolment)
        let followUps = try await context.followUps(
            of: edit.kind, to: sheet.questionnaire, enrolment, activeKeys, now: now)
        let editRules = known.questionnaire.edit
        switch edit.kind {
        case .correction:
            let scoring = try await context.sheetScoring(
                sheet.questionnaire, sheet.version, of: enrolment, activeKeys)
            let forbiddenKinds = try await service.forbiddenKinds(in: sheet, of: enrolment, published)
            let isLocked = try await context.isLocked(
                sheet.questionnaire, of: enrolment, answeredUnder: published.study, at: now)
            try await context.store.withholdAnswers(
                to: known.items(of: forbiddenKinds), in: edit, of: enrolment.id)
            try await context.store.apply(
                edit, to: sheet.id, of: enrolment.id, followUps, now: now,
                audit: entry("sheet_corrected", edit, enrolment)
            ) { stored in
                try AnswerSheetRoutes.checkEditWindow(editRules.correctWithin, stored, edit.madeAt)
                return try AnswerSheetRoutes.hidingFaults(isLocked) {
                    try AnswerSheetRoutes.revision(
                        of: stored, answers: edit.body["answers"]?.object ?? [:],
                        reasons: edit.body["reasons"]?.object ?? [:],
                        reason: edit.body["reason"]?.string, known, scoring, forbiddenKinds: forbiddenKinds)
                }
            }
        case .deletion:
            try await context.store.apply(
                edit, deleting: sheet.id, of: enrolment.id, followUps,
                purges: editRules.deletion == .purge, now: now,
                audit: entry(editRules.deletion.auditAction, edit, enrolment)
            ) { stored in
                try AnswerSheetRoutes.checkEditWindow(editRules.deleteWithin, stored, edit.madeAt)
            }
        }
    }

    private func entry(_ action: String, _ edit: Edit, _ enrolment: Enrolment) -> AuditEntry {
        AuditEntry(
            actor: actor, action: action, study: enrolment.study, enrolment: enrolment.id,
            record: edit.subject.uuid, requestID: requestID)
    }
}

extension Edit.Subject {
    /// The member that names the record in bodies.
    fileprivate var member: String {
        switch self {
        case .sheet: "sheet_id"
        case .walk: "walk_id"
        case .observation: "observation_id"
        }
    }
}
