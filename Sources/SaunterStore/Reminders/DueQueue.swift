import Postgres
import SaunterCore
import Synchronization

/// Enrolments whose next reminder, or evaluation of rules, was due when the list was read, the most urgent first. The
/// list is only a hint: each enrolment is checked again under a lock.
final class DueQueue: Sendable {
    /// Enrolments read at once.
    static let capacity = 500

    private let ids = Mutex<[EnrolmentID]>([])

    /// Removes and returns the most urgent enrolment.
    func next() -> EnrolmentID? { ids.withLock { $0.popLast() } }

    /// Replaces the list.
    func fill(_ listed: [EnrolmentID]) { ids.withLock { $0 = listed.reversed() } }
}

extension Store {
    /// Locks one enrolment whose next reminder is due. Returns nil if there is none, or if other workers have locked
    /// all of them.
    ///
    /// The list is read once for many enrolments. If it were read for each of them, every read would scan the dead
    /// index entries that earlier claims have left behind.
    /// - Parameter hasMail: false excludes participants whose only channel is mail.
    func claimDue(now: Instant, hasMail: Bool, in transaction: Transaction) async throws -> EnrolmentID? {
        if let id = try await claimListed(now: now, hasMail: hasMail, in: transaction) { return id }
        due.fill(
            try await transaction.query(
                Statements.reminders["list_due_enrolments"],
                ["now": .instant(now), "limit_rows": .int(DueQueue.capacity), "has_mail": .bool(hasMail)]
            ).map { try $0.id("enrolment_id") })
        return try await claimListed(now: now, hasMail: hasMail, in: transaction)
    }

    private func claimListed(
        now: Instant, hasMail: Bool, in transaction: Transaction
    ) async throws -> EnrolmentID? {
        while let id = due.next() {
            let claimed = try await transaction.query(
                Statements.reminders["claim_due_enrolment"],
                ["enrolment_id": .id(id), "now": .instant(now), "has_mail": .bool(hasMail)])
            if try claimed.oneOrNone() != nil { return id }
        }
        return nil
    }
}
