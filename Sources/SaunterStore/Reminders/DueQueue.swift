import Postgres
import SaunterCore
import Synchronization

/// Participants whose reminder hour had come when it was last looked, the most urgent first. Only a hint: whether it still holds is asked of each
/// under a lock.
final class DueQueue: Sendable {
    static let most = 500

    private let ids = Mutex<[EnrolmentID]>([])

    /// The most urgent, taken.
    func next() -> EnrolmentID? { ids.withLock { $0.popLast() } }

    /// Puts others in the place of all that are left.
    func fill(_ listed: [EnrolmentID]) { ids.withLock { $0 = listed.reversed() } }
}

extension Store {
    /// Locks one participant whose hour has come; nil when there is none that nobody else works on. Looks for them once for many, so that all who are due
    /// cost what they are many, however long their old entries stay in the index.
    /// - Parameter hasMail: whether those can be reached who take nothing but mail.
    func claimDue(now: Instant, hasMail: Bool, in transaction: Transaction) async throws -> EnrolmentID? {
        if let id = try await claimListed(now: now, hasMail: hasMail, in: transaction) { return id }
        due.fill(
            try await transaction.query(
                Statements.reminders["list_due_enrolments"],
                [.instant(now), .int(DueQueue.most), .bool(hasMail)]
            ).map { try $0.id("enrolment_id") })
        return try await claimListed(now: now, hasMail: hasMail, in: transaction)
    }

    private func claimListed(
        now: Instant, hasMail: Bool, in transaction: Transaction
    ) async throws -> EnrolmentID? {
        while let id = due.next() {
            let claimed = try await transaction.query(
                Statements.reminders["claim_due_enrolment"], [.id(id), .instant(now), .bool(hasMail)])
            if try claimed.oneOrNone() != nil { return id }
        }
        return nil
    }
}
