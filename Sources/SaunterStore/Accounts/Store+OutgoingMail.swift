import Foundation
import Postgres
import SaunterCore

/// A queued mail that is not a reminder, claimed by this worker.
package struct OutgoingMail: Sendable {
    package var id: UUID
    package var account: AccountID
    package var kind: String
    /// What the message says, as its kind defines it.
    package var message: JSON
    /// How often it was claimed, this time included.
    package var attempts: Int
    package var createdAt: Instant
}

extension Store {
    /// Takes the next mail that is due. Until `leaseUntil` no other worker sees it.
    package func claimOutgoingMail(now: Instant, leaseUntil: Instant) async throws -> OutgoingMail? {
        let rows = try await identity.query(
            Statements.tokens["claim_outgoing_mail"], [.instant(now), .instant(leaseUntil)])
        guard let row = try rows.oneOrNone() else { return nil }
        let account: AccountID = try row.id("account_id")
        let id: UUID = try row.get("mail_id")
        let text: String
        do {
            text = try secrets.open(row.get("message_sealed"), "mail", of: account)
        } catch {
            // Sealed under another key: it will not be readable the next time either.
            try await finishOutgoingMail(id, outcome: "unreadable", nextAttemptAt: nil)
            throw error
        }
        return OutgoingMail(
            id: id, account: account, kind: try row.get("kind"),
            message: try JSONReader.read(text), attempts: try row.get("attempts"),
            createdAt: try row.instant("created_at"))
    }

    /// Records what came of it; without a next attempt its words are wiped.
    package func finishOutgoingMail(_ id: UUID, outcome: String, nextAttemptAt: Instant?) async throws {
        _ = try await identity.query(
            Statements.tokens["finish_outgoing_mail"], [.uuid(id), .text(outcome), .instant(nextAttemptAt)])
    }
}
