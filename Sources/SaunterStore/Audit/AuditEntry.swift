import Postgres
import SaunterCore

/// One line of the audit. Never holds an answer, an address or a token.
package struct AuditEntry: Sendable {
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

    /// The call that writes it, to stand in the transaction of the act itself.
    func call(at now: Instant) -> (Statement, [Parameter]) {
        (
            Statements.audit["insert_audit_entry"],
            [
                .instant(now), .text(actor.kind), .id(actor.id), .text(action), .text(study), .id(enrolment),
                .text(requestID), .json(detail),
            ]
        )
    }
}

extension Store {
    /// Writes a line for an act that changed nothing else, such as a login.
    package func record(_ entry: AuditEntry, at now: Instant) async throws {
        let (statement, parameters) = entry.call(at: now)
        _ = try await identity.query(statement, parameters)
    }
}
