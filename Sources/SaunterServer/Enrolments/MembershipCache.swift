import SaunterCore
import SaunterStore
import Synchronization

/// Caches which account an enrolment belongs to, so that most requests need no query. The owner changes only if a
/// registered account adopts an anonymous one, whose logins end. So an entry can allow a request, and never reject one.
final class MembershipCache: Sendable {
    private struct Entry {
        var account: AccountID
        var foundAt: Instant
    }

    /// How long an entry is valid, in seconds.
    private static let seconds = 60
    /// When the cache has this many entries, it is emptied.
    private static let maximumEntries = 100_000

    private let store: Store
    private let entries = Mutex<[EnrolmentID: Entry]>([:])

    init(store: Store) {
        self.store = store
    }

    /// Whether the enrolment belongs to the account.
    func owns(_ account: AccountID, _ enrolment: EnrolmentID, now: Instant) async throws -> Bool {
        if let entry = entries.withLock({ $0[enrolment] }), entry.foundAt <= now,
            now < entry.foundAt.adding(seconds: Self.seconds), entry.account == account
        {
            return true
        }
        let found = try await store.listMemberships(account).contains { $0.enrolment == enrolment }
        if found {
            entries.withLock { entries in
                if entries.count >= Self.maximumEntries { entries.removeAll() }
                entries[enrolment] = Entry(account: account, foundAt: now)
            }
        }
        return found
    }

    /// Removes the entry of an enrolment that was erased, or has another owner.
    func remove(_ enrolment: EnrolmentID) {
        entries.withLock { $0[enrolment] = nil }
    }
}
