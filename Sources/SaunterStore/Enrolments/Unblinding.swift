import Postgres
import SaunterCore

/// One time that the blind of a study was broken.
package struct Unblinding: Sendable, Hashable {
    /// The pseudonym of the participant whose arm was read; nil if all arms of the study were shown.
    package var participantID: String?
    /// Counts from 1, per participant.
    package var ordinal: Int
    /// The text that the coordinator gave.
    package var reason: String
    /// The account of the coordinator.
    package var by: AccountID
    /// When it was stored, by the server's clock.
    package var at: Instant

    /// The position of an unblinding in the list, which begins with the newest one.
    package struct Position: Sendable, Hashable {
        /// `Unblinding.at`.
        package var at: Instant
        /// `Unblinding.participantID`; empty for nil.
        package var participantID: String
        /// `Unblinding.ordinal`.
        package var ordinal: Int

        /// Creates a position from the parts of a cursor.
        package init(at: Instant, participantID: String, ordinal: Int) {
            self.at = at
            self.participantID = participantID
            self.ordinal = ordinal
        }
    }

    /// Its position in the list.
    package var position: Position {
        Position(at: at, participantID: participantID ?? "", ordinal: ordinal)
    }
}

extension Store {
    /// Whether all arms of the study were shown to its team.
    package func isUnblinded(_ study: String) async throws -> Bool {
        try await research.query(Statements.unblindings["is_study_unblinded"], ["study": .text(study)])
            .one().get("unblinded")
    }

    /// Whether a coordinator has read the arm of this participant.
    package func isUnblinded(_ id: EnrolmentID) async throws -> Bool {
        try await research.query(
            Statements.unblindings["is_enrolment_unblinded"], ["enrolment_id": .id(id)]
        ).one().get("unblinded")
    }

    /// Shows the arms of a study to its team, and writes the audit entry.
    /// - Returns: false if they were shown before. Then nothing is written.
    package func unblind(
        _ study: String, because reason: String, by account: AccountID, requestID: String?, now: Instant
    ) async throws -> Bool {
        try await research.write { transaction in
            let inserted = try await transaction.query(
                Statements.unblindings["insert_study_unblinding"],
                [
                    "study": .text(study), "reason": .text(reason), "unblinded_by": .id(account),
                    "now": .instant(now),
                ])
            guard !inserted.isEmpty else { return false }
            let audit = AuditEntry(
                actor: .account(account), action: "unblinded", study: study, requestID: requestID,
                detail: ["scope": "study"])
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }

    /// Records that an account reads the arm of a participant, and writes the audit entry.
    /// - Returns: the enrolment, whose arm the account may now read.
    /// - Throws: `ConcurrentErasure`.
    package func unblind(
        _ id: EnrolmentID, because reason: String, by account: AccountID, requestID: String?, now: Instant
    ) async throws -> Enrolment {
        try await research.write { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            let audit = AuditEntry(
                actor: .account(account), action: "unblinded", study: enrolment.study, enrolment: id,
                requestID: requestID, detail: ["scope": "participant"])
            _ = try await transaction.pipeline([
                (
                    Statements.unblindings["insert_enrolment_unblinding"],
                    [
                        "enrolment_id": .id(id), "reason": .text(reason), "unblinded_by": .id(account),
                        "now": .instant(now),
                    ]
                ), audit.call(at: now, secrets),
            ])
            return enrolment
        }
    }

    /// The times that the blind of a study was broken, the newest first.
    /// - Parameter after: the last one of the previous page; nil for the first page.
    package func listUnblindings(
        of study: String, after: Unblinding.Position?, limit: Int
    ) async throws -> [Unblinding] {
        try await research.query(
            Statements.unblindings["list_unblindings"],
            [
                "study": .text(study), "before": .instant(after?.at),
                "participant_id": .text(after?.participantID ?? ""), "ordinal": .int(after?.ordinal ?? 0),
                "limit_rows": .int(limit),
            ]
        ).map { row in
            Unblinding(
                participantID: try row.getOptional("participant_id"), ordinal: try row.get("ordinal"),
                reason: try row.get("reason"), by: try row.id("unblinded_by"),
                at: try row.instant("unblinded_at"))
        }
    }
}
