import Foundation
import Postgres
import SaunterCore

/// A queued mail that is not a reminder, claimed by this worker.
package struct OutgoingMail: Sendable {
    package var id: UUID
    package var account: AccountID
    package var kind: String
    /// The content, in the form that the kind defines.
    package var message: JSON
    /// The number of claims, including this one.
    package var attempts: Int
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
            id: id, account: account, kind: try row.get("kind"),
            message: try JSONReader.read(text), attempts: try row.get("attempts"),
            createdAt: try row.instant("created_at"))
    }

    /// Records the outcome. If there is no next attempt, the content is deleted.
    package func finishOutgoingMail(_ id: UUID, outcome: String, nextAttemptAt: Instant?) async throws {
        _ = try await identity.query(
            Statements.tokens["finish_outgoing_mail"],
            ["mail_id": .uuid(id), "outcome": .text(outcome), "next_attempt_at": .instant(nextAttemptAt)])
    }
}
