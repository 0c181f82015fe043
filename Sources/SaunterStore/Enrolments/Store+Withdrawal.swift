import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Ends an enrolment: prompts stop and no window counts from now on. `excluded` also keeps the data out of datasets. Doing it again changes
    /// nothing, except from stopped to excluded.
    /// - Throws: `ErasedMeanwhile`.
    package func withdraw(
        _ id: EnrolmentID, to state: EnrolmentState, study: Study, audit: AuditEntry, now: Instant
    ) async throws -> Enrolment {
        try await research.writeRetrying(repeatable: true) { transaction in
            let stored = try await Self.lockEnrolment(id, in: transaction)
            guard stored.state == .active || (stored.state == .stopped && state == .excluded) else {
                return stored
            }
            _ = try await transaction.pipeline([
                (
                    Statements.enrolments["end_enrolment"],
                    [.id(id), .text(state.rawValue), .instant(now), .text("withdrawn")]
                ),
                audit.call(at: now),
            ])
            if state == .excluded {
                let (statement, parameters) = Self.withdrawExports(of: stored.study, now: now)
                _ = try await transaction.query(statement, parameters)
            }
            let ended = try await Self.lockEnrolment(id, in: transaction)
            return try await replan(ended, study: study, now: now, in: transaction)
        }
    }

    /// Removes every row of one participant from research data and the bridge to the person; what stays is a countable trace without a key,
    /// and the audit. Doing it again changes nothing.
    package func erase(_ enrolment: Enrolment, audit: AuditEntry, now: Instant) async throws {
        try await clerk.writeRetrying(repeatable: true) { transaction in
            guard try await Self.lockForErasure(enrolment.id, in: transaction) else { return }
            _ = try await transaction.pipeline(
                Self.eraseCalls(enrolment.id, study: enrolment.study, now: now) + [audit.call(at: now)])
        }
    }

    /// Erases the person: every enrolment, then the account with its tokens, grants and queued mail, in one transaction.
    /// - Parameter enrolments: those known; one that was made since is found and erased too.
    /// - Returns: the token families that ended with it.
    package func erase(
        account: AccountID, enrolments: [Enrolment], audit: AuditEntry, now: Instant
    ) async throws -> [UUID] {
        try await clerk.writeRetrying(repeatable: true) { transaction in
            // As enrolling does, so that nobody is enrolled while being erased.
            let locked = try await transaction.query(Statements.accounts["lock_account"], [.id(account)])
            guard !locked.isEmpty else { return [] }
            let families = try await Self.revokeAll(of: account, why: "erased", now: now, in: transaction)
            var studies = Dictionary(
                enrolments.map { ($0.id, $0.study) }, uniquingKeysWith: { first, _ in first })
            for row in try await transaction.query(Statements.accounts["list_memberships"], [.id(account)]) {
                studies[try row.id("enrolment_id")] = try row.get("study", as: String.self)
            }
            var calls: [(Statement, [Parameter])] = []
            for (id, study) in studies.sorted(by: { $0.key < $1.key }) {
                guard try await Self.lockForErasure(id, in: transaction) else { continue }
                calls += Self.eraseCalls(id, study: study, now: now)
            }
            calls.append((Statements.accounts["delete_account"], [.id(account)]))
            let today = Zone.utc.local(of: now).date
            calls.append(
                (Statements.erasures["insert_account_erasure"], [.id(account), .localDate(today)]))
            calls.append(audit.call(at: now))
            _ = try await transaction.pipeline(calls)
            return families
        }
    }

    /// Waits for everybody who writes about this participant and keeps out those who come later. The order is everybody's: the enrolment
    /// against plans, then occasions against sheets, then the enrolment against all that refers to it.
    /// - Returns: whether there is something to erase.
    private static func lockForErasure(_ id: EnrolmentID, in transaction: Transaction) async throws -> Bool {
        let locked = try await transaction.pipeline([
            (Statements.enrolments["lock_enrolment"], [.id(id)]),
            (Statements.occasions["lock_occasions_of_enrolment"], [.id(id)]),
            (Statements.enrolments["lock_enrolment_alone"], [.id(id)]),
            (Statements.answerSheets["lock_answer_sheets_of_enrolment"], [.id(id)]),
        ])
        return !locked[0].isEmpty
    }

    /// Sheets and walks go before the occasions and calibrations that they refer to; the rest goes by cascade.
    private static func eraseCalls(
        _ id: EnrolmentID, study: String, now: Instant
    ) -> [(Statement, [Parameter])] {
        [
            (Statements.enrolments["delete_sheets_of_enrolment"], [.id(id)]),
            (Statements.enrolments["delete_walks_of_enrolment"], [.id(id)]),
            (Statements.enrolments["delete_enrolment"], [.id(id)]),
            (Statements.accounts["delete_membership"], [.id(id)]),
            (
                Statements.enrolments["insert_erasure"],
                [.uuid(UUID()), .text(study), .localDate(Zone.utc.local(of: now).date), .id(id)]
            ),
            withdrawExports(of: study, now: now),
        ]
    }

    /// Datasets that were made before hold what somebody takes back: they are offered no longer, and those that are being made are begun anew.
    private static func withdrawExports(of study: String, now: Instant) -> (Statement, [Parameter]) {
        (
            Statements.exports["withdraw_exports"],
            [
                .text(study), .instant(now), .int(mostExportAttempts),
                .text("Somebody took their data back while it was being made, again and again."),
            ]
        )
    }
}
