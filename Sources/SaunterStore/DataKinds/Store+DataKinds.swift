import Foundation
import Postgres
import SaunterCore

/// The kinds of data that a participant grants or revokes in one request.
package struct DataKindChanges: Sendable {
    /// Code of a kind -> whether it is permitted from now on.
    package var permissions: [String: Bool]
    /// The code of the study, for the audit.
    package var study: String
    /// The `X-Request-ID` of the request, for the audit; nil for other callers.
    package var requestID: String?

    /// Creates a change that is not stored yet.
    package init(permissions: [String: Bool], study: String, requestID: String?) {
        self.permissions = permissions
        self.study = study
        self.requestID = requestID
    }
}

extension Store {
    /// All permissions of a participant, also those that were revoked, by kind and time.
    package func listDataKindGrants(of enrolment: EnrolmentID) async throws -> [DataKindGrant] {
        let (statement, arguments) = Self.dataKindGrantsCall(of: [enrolment])
        return try await research.query(statement, arguments).map(Self.dataKindGrant)
    }

    /// The call that lists the permissions of participants.
    static func dataKindGrantsCall(of enrolments: [EnrolmentID]) -> (Statement, Arguments) {
        (Statements.dataKinds["list_data_kind_grants"], ["enrolment_ids": .ids(enrolments)])
    }

    /// Reads a row of `list_data_kind_grants`.
    @Sendable static func dataKindGrant(_ row: Row) throws -> DataKindGrant {
        DataKindGrant(
            kind: try row.get("kind"), grantedAt: try row.instant("granted_at"),
            revokedAt: try row.instantOptional("revoked_at"), purgedAt: try row.instantOptional("purged_at"))
    }

    /// Grants and revokes kinds of data. The caller has locked the enrolment. A permission that does not change is
    /// neither audited nor reported in the change feed.
    func apply(
        _ changes: DataKindChanges, to enrolment: EnrolmentID, now: Instant, in transaction: Transaction
    ) async throws {
        var calls: [(Statement, Arguments)] = []
        for (kind, isPermitted) in changes.permissions.sorted(by: { $0.key < $1.key }) {
            let statement = isPermitted ? "grant_data_kind" : "revoke_data_kind"
            let changed = try await transaction.query(
                Statements.dataKinds[statement],
                ["enrolment_id": .id(enrolment), "kind": .text(kind), "now": .instant(now)])
            guard changed.affected > 0 else { continue }
            calls.append(
                AuditEntry(
                    actor: .participant, action: isPermitted ? "data_kind_granted" : "data_kind_revoked",
                    study: changes.study, enrolment: enrolment, requestID: changes.requestID,
                    detail: ["data_kind": .string(kind)]
                ).call(at: now, secrets))
        }
        guard !calls.isEmpty else { return }
        calls.append(Self.markChangedCall(enrolment, kind: .enrolment, [enrolment.uuid]))
        _ = try await transaction.pipeline(calls)
    }

    /// The call that marks records as changed, so that the change feed reports them. Triggers mark other changes.
    static func markChangedCall(
        _ enrolment: EnrolmentID, kind: Change.Kind, _ subjects: [UUID]
    ) -> (Statement, Arguments) {
        (
            Statements.dataKinds["mark_changed"],
            [
                "enrolment_id": .id(enrolment), "kind": .text(kind.rawValue),
                "subject_ids": .uuids(subjects),
            ]
        )
    }
}
