import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Ends an enrolment: prompts stop and no window counts from now on. `excluded` also keeps the data out of datasets. Doing it again changes
    /// nothing, except from stopped to excluded.
    package func withdraw(
        _ id: EnrolmentID, to state: EnrolmentState, study: Study, audit: AuditEntry, now: Instant
    ) async throws -> Enrolment {
        try await research.write { transaction in
            let stored = try await Self.lockEnrolment(id, in: transaction)
            guard stored.state == .active || (stored.state == .stopped && state == .excluded) else { return stored }
            _ = try await transaction.pipeline([
                (
                    Statements.enrolments["end_enrolment"],
                    [.id(id), .text(state.rawValue), .instant(now), .text("withdrawn")]
                ),
                audit.call(at: now),
            ])
            let ended = try await Self.lockEnrolment(id, in: transaction)
            try await replan(ended, study: study, now: now, in: transaction)
            return ended
        }
    }

    /// Removes every row of one participant from research data and the bridge to the person; what stays is a countable trace without a key.
    package func erase(_ enrolment: Enrolment, audit: AuditEntry, now: Instant) async throws {
        try await clerk.write { transaction in
            _ = try await transaction.pipeline(Self.eraseCalls(enrolment, now: now) + [audit.call(at: now)])
        }
    }

    /// Erases the person: every enrolment, then the account with its tokens, grants and queued mail, in one transaction.
    /// - Returns: the token families that ended with it.
    package func erase(
        account: AccountID, enrolments: [Enrolment], audit: AuditEntry, now: Instant
    ) async throws -> [UUID] {
        try await clerk.write { transaction in
            let families = try await Self.revokeAll(of: account, why: "erased", now: now, in: transaction)
            var calls = enrolments.flatMap { Self.eraseCalls($0, now: now) }
            calls.append((Statements.accounts["delete_account"], [.id(account)]))
            calls.append(audit.call(at: now))
            _ = try await transaction.pipeline(calls)
            return families
        }
    }

    /// Sheets and walks go before the occasions and calibrations that they refer to; the rest goes by cascade.
    private static func eraseCalls(_ enrolment: Enrolment, now: Instant) -> [(Statement, [Parameter])] {
        [
            (Statements.enrolments["delete_sheets_of_enrolment"], [.id(enrolment.id)]),
            (Statements.enrolments["delete_walks_of_enrolment"], [.id(enrolment.id)]),
            (Statements.enrolments["delete_enrolment"], [.id(enrolment.id)]),
            (Statements.accounts["delete_membership"], [.id(enrolment.id)]),
            (
                Statements.enrolments["insert_erasure"],
                [.uuid(UUID()), .text(enrolment.study), .localDate(Zone.utc.local(of: now).date)]
            ),
        ]
    }
}
