import Foundation
import Postgres
import SaunterCore

extension Store {
    /// The maximum number of codes of one study that are usable at the same time.
    package static let maximumEnrolmentCodes = 100_000

    /// Creates codes and writes the audit entry, in one transaction.
    /// - Returns: the codes with their texts. The texts are not stored.
    /// - Throws: `TooManyEnrolmentCodes`. Then no code is stored.
    package func insertEnrolmentCodes(
        _ batch: EnrolmentCodeBatch, by actor: AuditEntry.Actor, requestID: String? = nil, now: Instant
    ) async throws -> [(code: EnrolmentCode, secret: EnrolmentCodeSecret)] {
        let made = (0..<batch.count).map { _ in
            (
                code: EnrolmentCode(
                    id: EnrolmentCodeID(UUID()), label: batch.label, maximumUses: batch.maximumUses,
                    createdAt: now, expiresAt: batch.expiresAt),
                secret: EnrolmentCodeSecret.make()
            )
        }
        let audit = AuditEntry(
            actor: actor, action: "enrolment_codes_created", study: batch.study, requestID: requestID,
            detail: [
                "count": .int(batch.count), "uses": .int(batch.maximumUses),
                "expires_at": .string(batch.expiresAt.description),
            ])
        try await research.writeRetrying(idempotent: false) { transaction in
            // The lock makes the limit hold for concurrent calls too.
            _ = try await transaction.query(
                Statements.studies["lock_study"], ["study": .text(batch.study)])
            let usable: Int = try await transaction.query(
                Statements.enrolmentCodes["count_usable_enrolment_codes"],
                ["study": .text(batch.study), "now": .instant(now)]
            ).one().get("codes")
            guard usable + batch.count <= Self.maximumEnrolmentCodes else {
                throw TooManyEnrolmentCodes(maximum: Self.maximumEnrolmentCodes)
            }
            _ = try await transaction.pipeline([
                (
                    Statements.enrolmentCodes["insert_enrolment_codes"],
                    [
                        "code_ids": .ids(made.map(\.code.id)), "study": .text(batch.study),
                        "code_digests": .bytesArray(made.map { secrets.lookup($0.secret, of: batch.study) }),
                        "label": .text(batch.label), "maximum_uses": .int(batch.maximumUses),
                        "now": .instant(now), "expires_at": .instant(batch.expiresAt),
                    ]
                ),
                audit.call(at: now, secrets),
            ])
        }
        return made
    }

    /// The codes of a study, the newest first.
    /// - Parameter before: the last code of the previous page; nil for the first page.
    package func listEnrolmentCodes(
        of study: String, before: (createdAt: Instant, id: EnrolmentCodeID)?, limit: Int
    ) async throws -> [EnrolmentCode] {
        try await research.query(
            Statements.enrolmentCodes["list_enrolment_codes"],
            [
                "study": .text(study), "before": .instant(before?.createdAt ?? .maximum),
                "before_id": .uuid(before?.id.uuid ?? .last), "limit_rows": .int(limit),
            ]
        ).map(Self.enrolmentCode)
    }

    /// Revokes a code and writes the audit entry. Participants who enrolled with it stay enrolled.
    /// - Returns: false if the study has no such code.
    package func revokeEnrolmentCode(
        _ id: EnrolmentCodeID, study: String, by actor: AuditEntry.Actor, requestID: String? = nil,
        now: Instant
    ) async throws -> Bool {
        let audit = AuditEntry(
            actor: actor, action: "enrolment_code_revoked", study: study, requestID: requestID,
            detail: ["code_id": .string(id.description)])
        return try await research.writeRetrying(idempotent: true) { transaction in
            let found = try await transaction.query(
                Statements.enrolmentCodes["revoke_enrolment_code"],
                ["code_id": .id(id), "study": .text(study), "now": .instant(now)])
            guard !found.isEmpty else { return false }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }

    /// Locks the code until the transaction ends and checks that it admits one more participant.
    /// - Returns: the calls that use the code for this enrolment.
    /// - Throws: `EnrolmentCodeRejection`.
    func useCalls(
        of code: EnrolmentCodeSecret, _ draft: EnrolmentDraft, now: Instant, in transaction: Transaction
    ) async throws -> [(Statement, Arguments)] {
        let study = draft.study.code
        let found = try await transaction.query(
            Statements.enrolmentCodes["lock_enrolment_code"],
            ["study": .text(study), "code_digest": .bytes(secrets.lookup(code, of: study))])
        guard let stored = try found.oneOrNone().map(Self.enrolmentCode) else {
            throw EnrolmentCodeRejection.unknown
        }
        switch stored.state(at: now) {
        case .active: break
        case .revoked: throw EnrolmentCodeRejection.revoked
        case .expired: throw EnrolmentCodeRejection.expired
        case .usedUp: throw EnrolmentCodeRejection.usedUp
        }
        return [
            (Statements.enrolmentCodes["use_enrolment_code"], ["code_id": .id(stored.id)]),
            (
                Statements.enrolmentCodes["insert_enrolment_code_use"],
                ["enrolment_id": .id(draft.id), "code_id": .id(stored.id), "now": .instant(now)]
            ),
        ]
    }

    private static func enrolmentCode(_ row: Row) throws -> EnrolmentCode {
        EnrolmentCode(
            id: try row.id("code_id"), label: try row.get("label"), maximumUses: try row.get("maximum_uses"),
            uses: try row.get("uses"), createdAt: try row.instant("created_at"),
            expiresAt: try row.instant("expires_at"), revokedAt: try row.instantOptional("revoked_at"))
    }
}
