import Foundation
import Postgres
import SaunterCore

/// A queued mail that is not a reminder, claimed by this worker.
package struct OutgoingMail: Sendable {
    /// The cause of the mail. The raw value is stored.
    package enum Kind: String, Sendable, CaseIterable {
        case passwordReset = "password_reset"
        case emailVerification = "email_verification"
        case passwordChanged = "password_changed"
        case emailChanged = "email_changed"
        /// A rule has alerted the study team.
        case alert
        /// A colleague without a password, or with an address that is not verified, was invited to a study team.
        case invitation
        /// A colleague with an account was invited to a study team.
        case roleOffered = "role_offered"
        /// A participant of a study was invited to its team, which is not possible.
        case roleDenied = "role_denied"

        /// The time in seconds after which the mail is not sent any more. Its code is valid for the same time.
        package var lifetimeSeconds: Int {
            switch self {
            case .passwordReset, .alert: 3600
            case .emailVerification: 86_400
            case .passwordChanged, .emailChanged: 3 * 86_400
            case .invitation, .roleOffered, .roleDenied: 7 * 86_400
            }
        }
    }

    /// The id of the queued mail, not of an account.
    package var id: UUID
    /// The account that the mail concerns.
    package var account: AccountID
    /// Nil for a kind that this version does not know.
    package var kind: Kind?
    /// `to`: the address at the time of the cause. `code`: the code, if the kind has one. `study`, `study_code` and
    /// `role`: of an alert or an invitation.
    package var message: JSON
    /// The number of claims, including this one.
    package var attempts: Int
    /// When the mail was queued. Its lifetime counts from this instant.
    package var createdAt: Instant
}

extension Store {
    /// Claims the next mail that is due. No other worker gets it before `leaseUntil`.
    package func claimOutgoingMail(now: Instant, leaseUntil: Instant) async throws -> OutgoingMail? {
        let rows = try await identity.query(
            Statements.tokens["claim_outgoing_mail"],
            ["now": .instant(now), "lease_until": .instant(leaseUntil)])
        guard let row = try rows.oneOrNone() else { return nil }
        let account: AccountID = try row.id("account_id")
        let id: UUID = try row.get("mail_id")
        let text: String
        do {
            text = try secrets.open(row.get("message_sealed"), "mail", of: account)
        } catch {
            // Sealed with another key, so it cannot be decrypted later either.
            try await finishOutgoingMail(id, outcome: "unreadable", nextAttemptAt: nil)
            throw error
        }
        return OutgoingMail(
            id: id, account: account, kind: OutgoingMail.Kind(rawValue: try row.get("kind")),
            message: try JSONReader.read(text), attempts: try row.get("attempts"),
            createdAt: try row.instant("created_at"))
    }

    /// The call that queues a mail. `address` receives it even if the account has another address by then. A second
    /// call with the same id does nothing.
    func mailCall(
        _ kind: OutgoingMail.Kind, to address: String, of account: AccountID, _ content: JSONObject = [:],
        now: Instant, mailID: UUID = UUID()
    ) throws -> (Statement, Arguments) {
        var message = content
        message["to"] = .string(address)
        return (
            Statements.tokens["insert_outgoing_mail"],
            [
                "mail_id": .uuid(mailID), "account_id": .id(account), "kind": .text(kind.rawValue),
                "message_sealed": .bytes(try secrets.seal(JSON.object(message).text, "mail", of: account)),
                "now": .instant(now),
            ]
        )
    }

    /// The call that deletes mails of a kind that are not sent yet.
    static func deleteWaitingMailsCall(
        _ kind: OutgoingMail.Kind, of account: AccountID
    ) -> (Statement, Arguments) {
        (
            Statements.tokens["delete_waiting_mails"],
            ["account_id": .id(account), "kind": .text(kind.rawValue)]
        )
    }

    /// Records the outcome. If there is no next attempt, the content is deleted.
    package func finishOutgoingMail(_ id: UUID, outcome: String, nextAttemptAt: Instant?) async throws {
        _ = try await identity.query(
            Statements.tokens["finish_outgoing_mail"],
            ["mail_id": .uuid(id), "outcome": .text(outcome), "next_attempt_at": .instant(nextAttemptAt)])
    }
}
