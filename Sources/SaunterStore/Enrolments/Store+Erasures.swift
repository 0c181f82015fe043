import Foundation
import Postgres
import SaunterCore

/// An erased account or enrolment. `ref` identifies it only in a database that still contains it, such as a restored
/// backup.
package struct Erasure: Sendable, Hashable {
    /// What was erased.
    package enum Kind: String, Sendable {
        /// An account with all its data.
        case account
        /// The data of one account in one study.
        case enrolment
    }

    /// What was erased.
    package var kind: Kind
    /// The first half of the SHA-256 of the id's bytes, 32 hexadecimal digits. Ids are random, so the digest does not
    /// reveal the id.
    package var ref: String
    /// The day of the erasure in UTC.
    package var erasedOn: LocalDate

    /// Creates an erasure, for example one that was read from a list.
    package init(kind: Kind, ref: String, erasedOn: LocalDate) {
        self.kind = kind
        self.ref = ref
        self.erasedOn = erasedOn
    }
}

extension Store {
    /// Deletes all research data of one participant and the link to the account. What remains is the audit, and a row
    /// in `research.erasure` with a digest of the id. Repeating the call changes nothing.
    package func erase(_ enrolment: Enrolment, audit: AuditEntry, now: Instant) async throws {
        try await clerk.writeRetrying(idempotent: true) { transaction in
            guard try await Self.lockForErasure(enrolment.id, in: transaction) else { return }
            _ = try await transaction.pipeline(
                Self.eraseCalls(enrolment.id, study: enrolment.study, now: now) + [
                    audit.call(at: now, secrets)
                ])
        }
    }

    /// Erases an account: all its enrolments, then the account with its tokens, grants and queued mail, in one
    /// transaction.
    /// - Parameters:
    ///   - verified: the hash against which the caller verified the password; nil if the erasure needs no password.
    ///   - unusedSince: erases only an anonymous account that was not used from this instant on; nil erases any.
    ///   - enrolments: the known enrolments. Enrolments created concurrently are found and erased too.
    /// - Returns: the token families that ended with it. `listFamilies(revokedSince:)` returns them to other servers.
    /// - Throws: `AccountFault.passwordChanged`.
    package func erase(
        account: AccountID, verified: String? = nil, unusedSince: Instant? = nil, enrolments: [Enrolment],
        audit: AuditEntry, now: Instant
    ) async throws -> [UUID] {
        try await clerk.writeRetrying(idempotent: true) { transaction in
            // Enrolling locks the account too, so no enrolment is created during the erasure.
            let locked = try await transaction.query(
                Statements.accounts["lock_account"], ["account_id": .id(account)])
            guard let row = locked.first else { return [] }
            if let unusedSince {
                guard let usedAt = try row.instantOptional("used_at"), usedAt < unusedSince else { return [] }
            }
            try Self.checkPasswordHash(verified, in: locked)
            let families: [UUID] = try await transaction.query(
                Statements.tokens["end_families_of_account"],
                ["account_id": .id(account), "now": .instant(now)]
            ).map { try $0.get("family_id") }
            var studies = Dictionary(
                enrolments.map { ($0.id, $0.study) }, uniquingKeysWith: { first, _ in first })
            for row in try await transaction.query(
                Statements.accounts["list_memberships"], ["account_id": .id(account)])
            {
                studies[try row.id("enrolment_id")] = try row.get("study", as: String.self)
            }
            var calls: [(Statement, Arguments)] = []
            for (id, study) in studies.sorted(by: { $0.key < $1.key }) {
                guard try await Self.lockForErasure(id, in: transaction) else { continue }
                calls += Self.eraseCalls(id, study: study, now: now)
            }
            calls.append((Statements.accounts["delete_account"], ["account_id": .id(account)]))
            let today = Zone.utc.local(of: now).date
            calls.append(
                (
                    Statements.erasures["insert_account_erasure"],
                    ["account_id": .id(account), "erased_on": .localDate(today)]
                ))
            calls.append(audit.call(at: now, secrets))
            _ = try await transaction.pipeline(calls)
            return families
        }
    }

    /// Waits for all transactions that write data of this participant, and blocks new ones. The lock order is the same
    /// as everywhere: broadcasts that name the participant (against their distribution), the enrolment (against records
    /// and replanning), exclusively (against rows that reference it), then its answer sheets (against rescoring).
    /// - Returns: whether the enrolment exists.
    private static func lockForErasure(_ id: EnrolmentID, in transaction: Transaction) async throws -> Bool {
        let locked = try await transaction.pipeline([
            (Statements.staffMessages["remove_recipient"], ["enrolment_id": .id(id)]),
            (Statements.enrolments["lock_enrolment"], ["enrolment_id": .id(id)]),
            (Statements.enrolments["lock_enrolment_alone"], ["enrolment_id": .id(id)]),
            (Statements.answerSheets["lock_answer_sheets_of_enrolment"], ["enrolment_id": .id(id)]),
        ])
        return !locked[1].isEmpty
    }

    /// The calls that erase an enrolment.
    private static func eraseCalls(
        _ id: EnrolmentID, study: String, now: Instant
    ) -> [(Statement, Arguments)] {
        [
            (Statements.enrolments["delete_records_of_enrolment"], ["enrolment_id": .id(id)]),
            (Statements.enrolments["delete_enrolment"], ["enrolment_id": .id(id)]),
            (Statements.entitlements["delete_entitlements"], ["enrolment_id": .id(id)]),
            (Statements.accounts["delete_membership"], ["enrolment_id": .id(id)]),
            (
                Statements.enrolments["insert_erasure"],
                [
                    "erasure_id": .uuid(UUID()), "study": .text(study),
                    "erased_on": .localDate(Zone.utc.local(of: now).date), "enrolment_id": .id(id),
                ]
            ),
            discardExportsCall(of: study, now: now),
        ]
    }

    /// The number of digests that one query looks up.
    private static let erasuresPerBatch = 10_000

    /// At most `limit` erasures in the order of their digests, after the digest `after`. An empty text begins the list.
    package func listErasures(after: String, limit: Int = erasuresPerBatch) async throws -> [Erasure] {
        try await clerk.query(
            Statements.erasures["list_erasures"], ["after": .text(after), "limit_rows": .int(limit)]
        ).map { row in
            Erasure(
                kind: try row.value("kind"), ref: try row.get("ref"),
                erasedOn: try row.localDate("erased_on"))
        }
    }

    /// Erases the accounts and enrolments that exist again after a restore, each account in its own transaction.
    /// Idempotent, so an interrupted call can be repeated.
    /// - Returns: the number of accounts, and of enrolments without an erased account.
    package func eraseAgain(
        _ erasures: [Erasure], now: Instant
    ) async throws -> (accounts: Int, enrolments: Int) {
        func audit(_ what: String) -> AuditEntry {
            AuditEntry(actor: .system, action: "erased_again", detail: ["what": .string(what)])
        }
        var (accounts, enrolments) = (0, 0)
        for refs in erasures.refs(of: .account, batchSize: Self.erasuresPerBatch) {
            for row in try await clerk.query(Statements.erasures["find_erased_accounts"], ["refs": refs]) {
                let id: AccountID = try row.id("account_id")
                _ = try await erase(account: id, enrolments: [], audit: audit("account"), now: now)
                accounts += 1
            }
        }
        for refs in erasures.refs(of: .enrolment, batchSize: Self.erasuresPerBatch) {
            for row in try await clerk.query(Statements.erasures["find_erased_enrolments"], ["refs": refs]) {
                guard let enrolment = try await findEnrolment(row.id("enrolment_id")) else { continue }
                try await erase(enrolment, audit: audit("enrolment"), now: now)
                enrolments += 1
            }
        }
        return (accounts, enrolments)
    }
}

extension [Erasure] {
    fileprivate func refs(of kind: Erasure.Kind, batchSize size: Int) -> [Parameter] {
        let refs = filter { $0.kind == kind }.map(\.ref)
        return stride(from: 0, to: refs.count, by: size).map { start in
            .texts(refs[start..<Swift.min(start + size, refs.count)].map { $0 })
        }
    }
}
