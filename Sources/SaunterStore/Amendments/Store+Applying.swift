import Postgres
import SaunterCore

extension Store {
    /// Puts corrected answers in force, unless later ones are or the sheet was taken back.
    /// - Parameters:
    ///   - state: `applied`, or `applying` where something follows.
    ///   - decide: sees the locked sheet and says what the revision holds; what it throws is passed on.
    /// - Returns: whether it is in force now by this.
    package func apply(
        _ correction: Amendment, to sheet: SheetID, of enrolment: EnrolmentID, state: Amendment.State,
        now: Instant, audit: AuditEntry, decide: @Sendable (StoredSheet) throws -> SheetRevision
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            guard var stored = try await Self.lockSheet(enrolment, sheet, in: transaction),
                try await Self.isLast(correction, of: sheet, enrolment, in: transaction)
            else {
                try await Self.settle(correction.id, of: enrolment, .superseded, in: transaction)
                return false
            }
            // Whoever holds the sheet's lock settles it; another may have done so before.
            let isMine = try await Self.settle(
                correction.id, of: enrolment, state, revision: stored.revision + 1, in: transaction)
            guard isMine else { return false }
            stored.answers.texts =
                try await Self.texts([stored], of: enrolment, in: transaction)[stored.id] ?? [:]
            let revision = try decide(stored)
            _ = try await transaction.pipeline(
                Self.revisionCalls(enrolment, stored, revision, now: now) + [audit.call(at: now)])
            return true
        }
    }

    /// Whether no correction is in force that was made later. The sheet is locked.
    private static func isLast(
        _ correction: Amendment, of sheet: SheetID, _ enrolment: EnrolmentID, in transaction: Transaction
    ) async throws -> Bool {
        let rows = try await transaction.query(
            Statements.amendments["list_corrections_in_force"],
            [.id(enrolment), .id(sheet), .instant(correction.madeAt)])
        for row in rows {
            let other = Amendment.Precedence(
                try row.id("amendment_id"), madeAt: try row.instant("made_at"),
                body: try JSONReader.read(row.get("body", as: String.self)), number: try Self.number(row))
            if correction.precedence < other { return false }
        }
        return true
    }

    /// Takes a sheet back for an amendment; one that was taken back before stays so.
    /// - Parameters:
    ///   - state: `applied`, or `applying` where something follows.
    ///   - decide: sees the locked sheet; what it throws is passed on.
    /// - Returns: whether it is taken back now by this.
    package func apply(
        _ deletion: Amendment, takingBack sheet: SheetID, of enrolment: EnrolmentID, state: Amendment.State,
        now: Instant, audit: AuditEntry, decide: @Sendable (StoredSheet) throws -> Void
    ) async throws -> Bool {
        try await research.writeRetrying { transaction in
            guard let stored = try await Self.lockSheet(enrolment, sheet, in: transaction) else {
                try await Self.settle(deletion.id, of: enrolment, .superseded, in: transaction)
                return false
            }
            guard try await Self.settle(deletion.id, of: enrolment, state, in: transaction) else {
                return false
            }
            try decide(stored)
            _ = try await transaction.pipeline(
                Self.deletionCalls(enrolment, stored, now: now) + [audit.call(at: now)])
            return true
        }
    }

    /// Takes a walk or an observation back for an amendment, and cancels what would have followed; one that was taken back before stays so.
    /// - Parameter statement: marks it as deleted, if it is not.
    /// - Throws: `ErasedMeanwhile`.
    package func apply(
        _ deletion: Amendment, of enrolment: EnrolmentID, study: Study, now: Instant, audit: AuditEntry
    ) async throws {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            let statement: Statement
            switch deletion.subject {
            case .walk: statement = Statements.walks["delete_walk"]
            case .observation: statement = Statements.observations["delete_observation"]
            case .sheet: throw StoredValueFault(column: "subject")
            }
            let deleted = try await transaction.query(
                statement, [.id(enrolment), .uuid(deletion.subject.uuid), .instant(now)])
            let isMine = try await Self.settle(
                deletion.id, of: enrolment, deleted.affected > 0 ? .applied : .superseded, in: transaction)
            // Another one has settled it, and taken the thing back.
            guard isMine, deleted.affected > 0 else { return }
            let (note, values) = audit.call(at: now)
            _ = try await transaction.query(note, values)
            if case .walk = deletion.subject {
                _ = try await replan(locked, study: study, now: now, in: transaction)
            }
        }
    }
}
