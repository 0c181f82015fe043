import Foundation
import Postgres
import SaunterCore

extension Store {
    /// The call that inserts an edit, or writes the stored one unchanged.
    static func insertCall(
        _ edit: Edit, of enrolment: EnrolmentID, revision: Int?
    ) -> (Statement, Arguments) {
        (
            Statements.amendments["insert_amendment"],
            [
                "enrolment_id": .id(enrolment), "amendment_id": .id(edit.id),
                "subject": .text(edit.subject.kind),
                "subject_id": .uuid(edit.subject.uuid), "kind": .text(edit.kind.rawValue),
                "made_at": .instant(edit.madeAt),
                "received_at": .instant(edit.receivedAt), "body": .verbatim(edit.body),
                "body_sha256": .bytes(edit.digest),
                "state": .text(edit.state.rawValue), "revision": .int(revision),
                "device_id": .id(edit.number?.device),
                "sequence": .int8(edit.number?.sequence), "stated_at": .instant(edit.statedAt),
            ]
        )
    }

    private static func number(_ row: Row) throws -> Edit.Number? {
        guard let device = try row.getOptional("device_id", as: UUID.self),
            let sequence = try row.getOptional("sequence", as: Int64.self)
        else { return nil }
        return Edit.Number(device: DeviceID(device), sequence: sequence)
    }

    /// The state of these edits. Ids that are not stored are omitted.
    package func listEdits(
        _ ids: [EditID], of enrolment: EnrolmentID
    ) async throws -> [EditID: StoredEdit] {
        let found = try await research.query(
            Statements.amendments["list_amendments"],
            ["enrolment_id": .id(enrolment), "amendment_ids": .ids(ids)]
        ).map { row in
            StoredEdit(
                id: try row.id("amendment_id"), digest: try row.get("body_sha256"),
                state: try row.value("state"),
                refusal: try row.getOptional("refusal", as: String.self).map { try JSONReader.read($0) },
                revision: try row.getOptional("revision"))
        }
        return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether an edit with exactly this body is stored. The function updates the row without changing it, and
    /// commits. A read could see an edit that is not yet on a synchronous standby; this commit waits until it is.
    package func isStored(_ edit: Edit, of enrolment: EnrolmentID) async throws -> Bool {
        try await !research.query(
            Statements.amendments["touch_amendment"],
            [
                "enrolment_id": .id(enrolment), "amendment_id": .id(edit.id),
                "body_sha256": .bytes(edit.digest),
            ]
        ).isEmpty
    }

    /// The number of a participant's edits that wait to be applied.
    package func countWaitingEdits(of enrolment: EnrolmentID) async throws -> Int {
        try await research.query(
            Statements.amendments["count_waiting_amendments"], ["enrolment_id": .id(enrolment)]
        )
        .one().get("count")
    }

    /// Edits that can be applied now, in the order in which they were made; at most 500.
    package func listDueEdits(of enrolment: EnrolmentID) async throws -> [Edit] {
        try await research.query(
            Statements.amendments["list_due_amendments"], ["enrolment_id": .id(enrolment)]
        ).map { row in
            let subject: ID<Edit> = try row.id("subject_id")
            guard let subject = Edit.Subject(kind: try row.get("subject"), subject.uuid) else {
                throw StoredValueFault(column: "subject")
            }
            return Edit(
                id: try row.id("amendment_id"), subject: subject, kind: try row.value("kind"),
                madeAt: try row.instant("made_at"), receivedAt: try row.instant("received_at"),
                body: try JSONReader.read(row.get("body", as: String.self)),
                digest: try row.get("body_sha256"), state: try row.value("state"),
                number: try Self.number(row))
        }.sorted { $0.precedence < $1.precedence }
    }

    /// Enrolments with edits that can be applied now, in the order of their ids, after the given one.
    package func listEnrolmentsWithDueEdits(
        after: EnrolmentID?, limit: Int
    ) async throws -> [EnrolmentID] {
        try await research.query(
            Statements.amendments["list_enrolments_with_due_amendments"],
            ["after": .uuid(after?.uuid ?? .first), "limit_rows": .int(limit)]
        ).map { try $0.id("enrolment_id") }
    }

    /// Removes answers that the participant does not permit from a stored correction, whether it will be applied or
    /// not.
    /// - Parameter items: the linkIds.
    package func withholdAnswers(
        to items: Set<String>, in correction: Edit, of enrolment: EnrolmentID
    ) async throws {
        let permitted = correction.body.withoutAnswers(to: items)
        guard permitted != correction.body else { return }
        _ = try await research.writeRetrying(idempotent: true) { transaction in
            try await transaction.query(
                Statements.dataKinds["replace_correction_body"],
                [
                    "enrolment_id": .id(enrolment), "amendment_id": .id(correction.id),
                    "body": .verbatim(permitted),
                ])
        }
    }

    /// Stores corrected answers as a new revision, unless a later correction is active or the sheet is deleted, and
    /// does what follows from it.
    /// - Parameter decide: gets the locked sheet and returns the revision. Its errors are passed on.
    /// - Throws: `ConcurrentErasure`, `StudyVersionMismatch`.
    package func apply(
        _ correction: Edit, to sheet: SheetID, of enrolment: EnrolmentID, _ followUps: FollowUps? = nil,
        now: Instant, audit: AuditEntry, decide: @Sendable (StoredSheet) throws -> SheetRevision
    ) async throws {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            guard var stored = try await Self.lockSheet(enrolment, sheet, in: transaction),
                try await Self.isLast(correction, of: sheet, enrolment, in: transaction)
            else {
                try await Self.resolve(correction.id, of: enrolment, .superseded, in: transaction)
                // A correction of a purged sheet can arrive later than the deletion.
                _ = try await transaction.query(
                    Statements.amendments["blank_corrections_of_purged_sheet"],
                    ["enrolment_id": .id(enrolment), "sheet_id": .id(sheet)])
                return
            }
            // Another worker may have resolved the edit before.
            let isResolvedHere = try await Self.resolve(
                correction.id, of: enrolment, .applied, revision: stored.revision + 1, in: transaction)
            guard isResolvedHere else { return }
            stored.answers.texts =
                try await Self.texts([stored], of: enrolment, in: transaction)[stored.id] ?? [:]
            let revision = try decide(stored)
            _ = try await transaction.pipeline(
                Self.revisionCalls(enrolment, stored, revision, now: now) + [audit.call(at: now, secrets)])
            try await follow(followUps, locked, in: transaction)
        }
    }

    /// Whether no active correction was made later. The sheet is locked.
    private static func isLast(
        _ correction: Edit, of sheet: SheetID, _ enrolment: EnrolmentID, in transaction: Transaction
    ) async throws -> Bool {
        let rows = try await transaction.query(
            Statements.amendments["list_applied_corrections"],
            ["enrolment_id": .id(enrolment), "sheet_id": .id(sheet), "since": .instant(correction.madeAt)])
        for row in rows {
            let other = Edit.Precedence(
                try row.id("amendment_id"), madeAt: try row.instant("made_at"),
                body: try JSONReader.read(row.get("body", as: String.self)), number: try Self.number(row))
            if correction.precedence < other { return false }
        }
        return true
    }

    /// Deletes a sheet because of an edit, and does what follows from that. A deleted sheet stays deleted.
    /// - Parameters:
    ///   - purges: whether the answers of all revisions are removed for good.
    ///   - decide: gets the locked sheet. Its errors are passed on.
    /// - Throws: `ConcurrentErasure`, `StudyVersionMismatch`.
    package func apply(
        _ deletion: Edit, deleting sheet: SheetID, of enrolment: EnrolmentID, _ followUps: FollowUps? = nil,
        purges: Bool = false, now: Instant, audit: AuditEntry, decide: @Sendable (StoredSheet) throws -> Void
    ) async throws {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            guard let stored = try await Self.lockSheet(enrolment, sheet, in: transaction) else {
                try await Self.resolve(deletion.id, of: enrolment, .superseded, in: transaction)
                return
            }
            guard try await Self.resolve(deletion.id, of: enrolment, .applied, in: transaction) else {
                return
            }
            try decide(stored)
            _ = try await transaction.pipeline(
                Self.deletionCalls(enrolment, stored, purges: purges, now: now)
                    + [audit.call(at: now, secrets)])
            try await follow(followUps, locked, in: transaction)
        }
    }

    /// Deletes a walk or an observation because of an edit, and cancels the occasions that would have followed. A
    /// deleted record stays deleted.
    /// - Throws: `ConcurrentErasure`.
    package func apply(
        _ deletion: Edit, of enrolment: EnrolmentID, study: Study, now: Instant, audit: AuditEntry
    ) async throws {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            let (statement, idName) =
                switch deletion.subject {
                case .walk: (Statements.walks["delete_walk"], "walk_id")
                case .observation: (Statements.observations["delete_observation"], "observation_id")
                case .sheet: preconditionFailure("`apply(_:deleting:…)` deletes sheets")
                }
            let deleted = try await transaction.query(
                statement,
                ["enrolment_id": .id(enrolment), idName: .uuid(deletion.subject.uuid), "now": .instant(now)])
            let isResolvedHere = try await Self.resolve(
                deletion.id, of: enrolment, deleted.affected > 0 ? .applied : .superseded, in: transaction)
            // Another worker has resolved the edit or deleted the record.
            guard isResolvedHere, deleted.affected > 0 else { return }
            let (insertion, arguments) = audit.call(at: now, secrets)
            _ = try await transaction.query(insertion, arguments)
            if case .walk = deletion.subject {
                _ = try await replan(locked, study: study, now: now, in: transaction)
            }
        }
    }

    /// Marks a waiting edit as refused.
    /// - Parameter refusal: the reason. A replay of the edit gets the same reason.
    package func refuse(
        _ edit: EditID, of enrolment: EnrolmentID, _ refusal: JSON
    ) async throws {
        _ = try await research.writeRetrying(idempotent: true) { transaction in
            try await Self.resolve(edit, of: enrolment, .refused, refusal: refusal, in: transaction)
        }
    }

    /// Moves an edit from `waiting` to another state.
    /// - Returns: false if another worker has already done so.
    @discardableResult
    static func resolve(
        _ edit: EditID, of enrolment: EnrolmentID, _ state: Edit.State, refusal: JSON? = nil,
        revision: Int? = nil, in transaction: Transaction
    ) async throws -> Bool {
        try await transaction.query(
            Statements.amendments["settle_amendment"],
            [
                "enrolment_id": .id(enrolment), "amendment_id": .id(edit),
                "state": .text(state.rawValue), "refusal": .verbatim(refusal), "revision": .int(revision),
            ]
        ).affected > 0
    }
}
