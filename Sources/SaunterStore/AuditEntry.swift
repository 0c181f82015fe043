import Foundation
import Postgres
import SaunterCore

/// One entry of the audit. It must not contain answers, addresses, tokens, arms of participants or participants' ids.
/// The ids of accounts, enrolments and records are stored as keyed digests, because the audit stays after an erasure.
/// The filters of a dataset can name arms.
package struct AuditEntry: Sendable, Hashable {
    /// Who acted.
    package enum Actor: Sendable, Hashable {
        case account(AccountID)
        /// The participant of the enrolment. The account is not stored, so that no entry links accounts to enrolments.
        case participant
        /// A caller who is not logged in.
        case anyone
        /// The server itself, or an operator at the command line.
        case system

        var kind: String {
            switch self {
            case .account: "account"
            case .participant: "participant"
            case .anyone: "anyone"
            case .system: "system"
            }
        }

        var id: AccountID? {
            if case .account(let id) = self { id } else { nil }
        }
    }

    /// Who acted.
    package var actor: Actor
    /// What happened, as a word of the stored vocabulary, such as `data_read`.
    package var action: String
    /// The code of the study; nil if the action concerns no study.
    package var study: String?
    /// The enrolment that the action concerns. Only its digest is stored.
    package var enrolment: EnrolmentID?
    /// The account that the action concerns, if it is not the actor. The detail contains its digest as `account_ref`.
    package var account: AccountID?
    /// The participant's record that the action concerns. The detail contains its digest as `record_ref`.
    package var record: UUID?
    /// The `X-Request-ID` of the request; nil for actions of the server and of commands.
    package var requestID: String?
    /// More about the action, as members without personal data.
    package var detail: JSONObject

    /// Creates an entry that is not stored yet.
    package init(
        actor: Actor, action: String, study: String? = nil, enrolment: EnrolmentID? = nil,
        account: AccountID? = nil, record: UUID? = nil, requestID: String? = nil, detail: JSONObject = [:]
    ) {
        self.actor = actor
        self.action = action
        self.study = study
        self.enrolment = enrolment
        self.account = account
        self.record = record
        self.requestID = requestID
        self.detail = detail
    }

    /// The call that writes the entry. It belongs in the transaction of the action.
    func call(at now: Instant, _ secrets: StoreSecrets) -> (Statement, Arguments) {
        var detail = detail
        if let account { detail["account_ref"] = .string(secrets.auditRef(of: account)) }
        if let record { detail["record_ref"] = .string(secrets.auditRef(ofRecord: record)) }
        return (
            Statements.audit["insert_audit_entry"],
            [
                "now": .instant(now), "actor_kind": .text(actor.kind),
                "actor_ref": .text(actor.id.map(secrets.auditRef)), "action": .text(action),
                "study": .text(study), "enrolment_ref": .text(enrolment.map(secrets.auditRef)),
                "request_id": .text(requestID), "detail": .json(.object(detail)),
            ]
        )
    }
}

extension Store {
    /// Writes an entry for an action that changes no other row, such as a login.
    package func record(_ entry: AuditEntry, at now: Instant) async throws {
        let (statement, parameters) = entry.call(at: now, secrets)
        _ = try await identity.query(statement, parameters)
    }

    /// Writes an entry for a change that an account makes to itself, in the transaction of the change.
    func record(
        _ action: String, _ account: AccountID, _ requestID: String?, now: Instant,
        in transaction: Transaction
    ) async throws {
        let entry = AuditEntry(actor: .account(account), action: action, requestID: requestID)
        let (statement, parameters) = entry.call(at: now, secrets)
        _ = try await transaction.query(statement, parameters)
    }
}

/// One stored entry of the audit.
package struct StoredAuditEntry: Sendable {
    /// Increases in the order of writing, with gaps.
    package let id: Int
    /// When the entry was written, by the server's clock.
    package let recordedAt: Instant
    /// `account`, `participant`, `anyone`, or `system` for the server and its commands.
    package let actorKind: String
    /// The digest of the account; `saunter account show` prints it.
    package let actorRef: String?
    /// What happened, such as `data_read`.
    package let action: String
    /// The code of the study; nil if the action concerns no study.
    package let study: String?
    /// The digest of the enrolment.
    package let enrolmentRef: String?
    /// The `X-Request-ID` of the request; nil for actions of the server and of commands.
    package let requestID: String?
    /// An object with more about the action. The members depend on the action.
    package let detail: JSON

    init(_ row: Row) throws {
        id = try row.get("entry_id")
        recordedAt = try row.instant("recorded_at")
        actorKind = try row.get("actor_kind")
        actorRef = try row.getOptional("actor_ref")
        action = try row.get("action")
        study = try row.getOptional("study")
        enrolmentRef = try row.getOptional("enrolment_ref")
        requestID = try row.getOptional("request_id")
        detail = try JSONReader.read(try row.get("detail", as: String.self))
    }
}

/// Which entries of the audit of a study are listed. Nil selects all.
package struct StudyAuditFilter: Sendable {
    /// Only entries of this action.
    package var action: String?
    /// Only entries of this kind of actor, or of the account with this digest.
    package var actor: String?
    /// Only entries that were written at this instant or later.
    package var since: Instant?
    /// Only entries that were written before this instant.
    package var until: Instant?

    /// Creates a filter that selects all entries, except for the given conditions.
    package init(
        action: String? = nil, actor: String? = nil, since: Instant? = nil, until: Instant? = nil
    ) {
        self.action = action
        self.actor = actor
        self.since = since
        self.until = until
    }
}

/// Which entries of the audit are listed. Nil selects all.
package struct AuditFilter: Sendable {
    /// Only entries of this study.
    package var study: String?
    /// Only entries of this action.
    package var action: String?
    /// Only entries that were written at this instant or later.
    package var since: Instant?

    /// Creates a filter that selects all entries, except for the given conditions.
    package init(study: String? = nil, action: String? = nil, since: Instant? = nil) {
        self.study = study
        self.action = action
        self.since = since
    }
}

extension Store {
    /// The next entries of the audit, in the order in which they were written.
    /// - Parameter after: the id of the last entry of the previous page; 0 for the first page.
    package func listAuditEntries(_ filter: AuditFilter, after: Int, limit: Int = 1000) async throws
        -> [StoredAuditEntry]
    {
        try await identity.query(
            Statements.audit["list_audit_entries"],
            [
                "study": .text(filter.study), "action": .text(filter.action),
                "since": .instant(filter.since), "after": .int8(Int64(after)),
                "limit_rows": .int(limit),
            ]
        ).map(StoredAuditEntry.init)
    }

    /// Entries of one study, the newest first.
    /// - Parameter before: the id of the last entry of the previous page; nil for the first page.
    package func listAuditEntries(
        of study: String, _ filter: StudyAuditFilter, before: Int?, limit: Int
    ) async throws -> [StoredAuditEntry] {
        try await identity.query(
            Statements.audit["list_study_audit"],
            [
                "study": .text(study), "action": .text(filter.action), "actor": .text(filter.actor),
                "since": .instant(filter.since), "until": .instant(filter.until),
                "before": .int8(before.map { Int64($0) } ?? .max), "limit_rows": .int(limit),
            ]
        ).map(StoredAuditEntry.init)
    }
}
