import Foundation
import Postgres
import SaunterCore

/// Why a role cannot be removed.
package enum RoleRemovalFault: Error {
    /// The account is the last coordinator of a study with active participants.
    case lastCoordinator
}

extension Grant {
    /// The audit entry of a change of this role.
    func auditEntry(
        _ action: String, of account: AccountID, by actor: AuditEntry.Actor, requestID: String?
    ) -> AuditEntry {
        AuditEntry(
            actor: actor, action: action, study: study == Grant.allStudies ? nil : study,
            account: account, requestID: requestID,
            detail: [
                "role": .string(role.rawValue), "study": .string(study), "full_export": .bool(fullExport),
                "sees_arms": .bool(seesArms),
            ])
    }
}

extension Store {
    /// Stores a role, or changes its permissions, and writes the audit entry. If the account loses the permission for
    /// full exports, the profile of its API tokens becomes `coded`.
    /// - Parameter actor: who granted the role.
    package func grant(
        _ grant: Grant, to id: AccountID, by actor: AuditEntry.Actor, requestID: String? = nil, now: Instant
    ) async throws {
        let audit = grant.auditEntry("role_granted", of: id, by: actor, requestID: requestID)
        try await identity.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.query(Statements.accounts["lock_account"], ["account_id": .id(id)])
            _ = try await transaction.pipeline(
                Self.grantCalls(grant, to: id, now: now) + [audit.call(at: now, secrets)])
        }
    }

    /// Removes a role or an invitation to it, and writes the audit entry. If no role remains that reads answers of the
    /// study, the API tokens of the account in the study are revoked.
    /// - Parameters:
    ///   - actor: who removes the role.
    ///   - keepsCoordinator: whether the last coordinator stays while the study has active participants.
    /// - Returns: false if the account has neither the role nor an invitation.
    /// - Throws: `RoleRemovalFault`.
    package func revoke(
        _ role: Role, study: String, of id: AccountID, by actor: AuditEntry.Actor,
        keepsCoordinator: Bool = false, requestID: String? = nil, now: Instant
    ) async throws -> Bool {
        try await clerk.writeRetrying { transaction in
            // The account before its roles, as in an erasure and when a role is granted.
            _ = try await transaction.query(Statements.accounts["lock_account"], ["account_id": .id(id)])
            if keepsCoordinator, role == .coordinator {
                try await checkAnotherCoordinator(than: id, of: study, in: transaction)
            }
            let key: Arguments = [
                "account_id": .id(id), "study": .text(study), "role": .text(role.rawValue),
            ]
            let found = try await transaction.pipeline([
                (Statements.accounts["delete_grant"], key),
                (Statements.invitations["delete_invitation"], key),
                Self.lowerAPITokensCall(of: id, study: study, now: now),
            ])
            guard !found[0].isEmpty || !found[1].isEmpty else { return false }
            let audit = Grant(role: role, study: study).auditEntry(
                "role_revoked", of: id, by: actor, requestID: requestID)
            _ = try await transaction.pipeline([
                audit.call(at: now, secrets),
                (
                    Statements.invitations["delete_account_without_use"],
                    ["account_id": .id(id), "password_hash": .text(PasswordHash.none.text)]
                ),
            ])
            return true
        }
    }

    private func checkAnotherCoordinator(
        than id: AccountID, of study: String, in transaction: Transaction
    ) async throws {
        let coordinators = try await transaction.query(
            Statements.accounts["lock_coordinators"], ["study": .text(study)]
        ).map { try $0.id("account_id", as: AccountID.self) }
        guard coordinators == [id] else { return }
        let hasActive: Bool = try await transaction.query(
            Statements.enrolments["has_active_participants"], ["study": .text(study)]
        ).one().get("has_active")
        if hasActive { throw RoleRemovalFault.lastCoordinator }
    }

    /// The roles in a study and the invitations to it, the oldest first. Roles in all studies are not in the list.
    package func listRoles(of study: String) async throws -> [StudyRole] {
        let granted = try await identity.query(
            Statements.accounts["list_study_grants"], ["study": .text(study)]
        ).map { row in
            let account = try account(row)
            return StudyRole(
                id: account.id.uuid, account: account.id, name: account.name,
                email: account.email ?? "",
                grant: try Self.grant(row, study), since: try row.instant("granted_at"), state: .active)
        }
        let invited = try await identity.query(
            Statements.invitations["list_invitations"], ["study": .text(study)]
        ).map { row in
            let id: AccountID = try row.id("account_id")
            let shown = try JSONReader.read(secrets.open(row.get("shown_sealed"), "invitation", of: id))
            let grant = try Self.grant(row, study)
            let invitedAt = try row.instant("invited_at")
            return StudyRole(
                id: secrets.invitationID(of: id, study: study, role: grant.role, invitedAt: invitedAt),
                account: id, name: shown["name"]?.string ?? "", email: shown["email"]?.string ?? "",
                grant: grant, since: invitedAt, state: .invited)
        }
        return (granted + invited).sorted { $0.position < $1.position }
    }

    private static func grant(_ row: Row, _ study: String) throws -> Grant {
        Grant(
            role: try row.value("role"), study: study, fullExport: try row.get("full_export"),
            seesArms: try row.get("sees_arms"))
    }

    /// Invites a colleague, queues the mail, and writes the audit entry. An address without an account gets one without
    /// a password. The role begins when the account logs in, so that neither the list of the team nor the audit shows
    /// whether the address had an account before, or takes part in the study.
    /// - Parameter code: the code with which the colleague sets a password, if the mail has one.
    /// - Throws: `ConcurrentErasure`.
    package func invite(
        _ invitation: Invitation, code: RandomToken, by actor: AuditEntry.Actor, requestID: String?,
        now: Instant
    ) async throws {
        let new = Account(
            id: AccountID(UUID()), email: invitation.email, name: invitation.name,
            passwordHash: PasswordHash.none.text, zone: nil, language: invitation.language, createdAt: now)
        let lookup = secrets.lookup(email: invitation.email)
        try await identity.writeRetrying { transaction in
            let found = try await transaction.pipeline([
                try insertInvitedAccountCall(new),
                (Statements.invitations["lock_account_by_email"], ["email_lookup": .bytes(lookup)]),
            ])
            guard let invitee = try found[1].oneOrNone().map(account) else { throw ConcurrentErasure() }
            let known = try await transaction.query(
                Statements.invitations["find_invitee"],
                [
                    "account_id": .id(invitee.id), "study": .text(invitation.study),
                    "role": .text(invitation.role.rawValue),
                ]
            ).one()
            let present = try known.getOptional("full_export", as: Bool.self).map { fullExport in
                Grant(
                    role: invitation.role, study: invitation.study, fullExport: fullExport,
                    seesArms: try known.get("sees_arms"))
            }
            let effect = invitation.effect(
                present: present, isEnrolled: try known.get("is_enrolled"),
                isProven: invitee.emailVerifiedAt != nil
                    && invitee.passwordHash != PasswordHash.none.text)
            switch effect {
            case .none: break
            case .change(let grant):
                let audit = grant.auditEntry("role_granted", of: invitee.id, by: actor, requestID: requestID)
                _ = try await transaction.pipeline(
                    Self.grantCalls(grant, to: invitee.id, now: now) + [audit.call(at: now, secrets)])
            case .offer(let kind):
                let audit = AuditEntry(
                    actor: actor, action: "colleague_invited", study: invitation.study, account: invitee.id,
                    requestID: requestID, detail: invitation.auditDetail)
                _ = try await transaction.pipeline(
                    try invitationCalls(invitation, of: invitee, kind, code: code, now: now)
                        + [audit.call(at: now, secrets)])
            }
        }
    }

    private func insertInvitedAccountCall(_ account: Account) throws -> (Statement, Arguments) {
        let sealed = try seal(account)
        return (
            Statements.invitations["insert_invited_account"],
            [
                "account_id": .id(account.id), "email_lookup": .bytes(sealed.lookup),
                "email_sealed": .bytes(sealed.email), "name_sealed": .bytes(sealed.name),
                "password_hash": .text(account.passwordHash), "language": .text(account.language),
                "now": .instant(account.createdAt),
            ]
        )
    }

    /// The calls that store an invitation and queue its mail. A code replaces earlier codes for a new password.
    private func invitationCalls(
        _ invitation: Invitation, of invitee: Account, _ kind: OutgoingMail.Kind, code: RandomToken,
        now: Instant
    ) throws -> [(Statement, Arguments)] {
        let shown: JSON = ["name": .string(invitation.name), "email": .string(invitation.email)]
        var message: JSONObject = [
            "study": .string(invitation.title(in: invitee.language)),
            "study_code": .string(invitation.study), "role": .string(invitation.role.rawValue),
        ]
        var calls: [(Statement, Arguments)] = [
            (
                Statements.invitations["upsert_invitation"],
                [
                    "account_id": .id(invitee.id), "study": .text(invitation.study),
                    "role": .text(invitation.role.rawValue),
                    "email_lookup": .bytes(secrets.lookup(email: invitation.email)),
                    "shown_sealed": .bytes(try secrets.seal(shown.text, "invitation", of: invitee.id)),
                    "full_export": .bool(invitation.fullExport), "sees_arms": .bool(invitation.seesArms),
                    "now": .instant(now),
                ]
            )
        ]
        if kind == .invitation {
            message["code"] = .string(code.text)
            calls += Self.deletePasswordResetCalls(of: invitee.id)
            calls.append(
                Self.insertPasswordResetCall(
                    code.digest, of: invitee.id, now: now,
                    expiresAt: now.adding(seconds: kind.lifetimeSeconds)))
        }
        calls.append(
            try mailCall(kind, to: invitee.email ?? invitation.email, of: invitee.id, message, now: now))
        return calls
    }

    /// Makes roles of the invitations of an account that has just logged in, and writes an audit entry for each. The
    /// account must have proven that the invited address is its own, and must not be enrolled in the study.
    func acceptInvitations(of id: AccountID, now: Instant, in transaction: Transaction) async throws {
        let accepted = try await transaction.query(
            Statements.invitations["accept_invitations"], ["account_id": .id(id), "now": .instant(now)]
        ).map { try Self.grant($0, $0.get("study")) }
        guard !accepted.isEmpty else { return }
        _ = try await transaction.pipeline(
            accepted.map {
                $0.auditEntry("role_granted", of: id, by: .account(id), requestID: nil).call(at: now, secrets)
            })
    }

    /// The calls that store a role or change its permissions, and adapt the API tokens.
    static func grantCalls(
        _ grant: Grant, to id: AccountID, now: Instant
    ) -> [(Statement, Arguments)] {
        [
            (
                Statements.accounts["upsert_grant"],
                [
                    "account_id": .id(id), "role": .text(grant.role.rawValue), "study": .text(grant.study),
                    "full_export": .bool(grant.fullExport), "sees_arms": .bool(grant.seesArms),
                    "now": .instant(now),
                ]
            ),
            (
                Statements.invitations["delete_invitation"],
                [
                    "account_id": .id(id), "study": .text(grant.study), "role": .text(grant.role.rawValue),
                ]
            ),
            lowerAPITokensCall(of: id, study: grant.study, now: now),
        ]
    }

    /// The call that adapts the API tokens of an account to its roles in the study.
    private static func lowerAPITokensCall(
        of id: AccountID, study: String, now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.apiTokens["lower_api_tokens"],
            ["account_id": .id(id), "study": .text(study), "now": .instant(now)]
        )
    }
}
