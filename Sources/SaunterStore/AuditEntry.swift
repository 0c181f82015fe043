import Postgres
import SaunterCore

/// One entry of the audit. It must not contain answers, addresses or tokens.
package struct AuditEntry: Sendable {
    /// Who acted: an account, or the server itself.
    package enum Actor: Sendable {
        case account(AccountID)
        case system

        var kind: String {
            switch self {
            case .account: "account"
            case .system: "system"
            }
        }

        var id: AccountID? {
            switch self {
            case .account(let id): id
            case .system: nil
            }
        }
    }

    package var actor: Actor
    package var action: String
    package var study: String?
    package var enrolment: EnrolmentID?
    package var requestID: String?
    package var detail: JSON

    package init(
        actor: Actor, action: String, study: String? = nil, enrolment: EnrolmentID? = nil,
        requestID: String? = nil,
        detail: JSON = [:]
    ) {
        self.actor = actor
        self.action = action
        self.study = study
        self.enrolment = enrolment
        self.requestID = requestID
        self.detail = detail
    }

    /// The call that writes the entry. It belongs in the transaction of the action.
    func call(at now: Instant) -> (Statement, Arguments) {
        (
            Statements.audit["insert_audit_entry"],
            [
                "now": .instant(now), "actor_kind": .text(actor.kind), "actor_id": .id(actor.id),
                "action": .text(action), "study": .text(study), "enrolment_id": .id(enrolment),
                "request_id": .text(requestID), "detail": .json(detail),
            ]
        )
    }
}

extension Store {
    /// Writes an entry for an action that changes no other row, such as a login.
    package func record(_ entry: AuditEntry, at now: Instant) async throws {
        let (statement, parameters) = entry.call(at: now)
        _ = try await identity.query(statement, parameters)
    }
}
