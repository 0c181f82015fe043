import SaunterCore
import SaunterStore
import Synchronization

/// Which account an enrolment belongs to. It never changes while both exist, so it is asked once a minute instead of with every request.
final class MembershipCache: Sendable {
    private struct Entry {
        var account: AccountID
        var foundAt: Instant
    }

    private static let seconds = 60
    private static let maximumEntries = 100_000

    private let store: Store
    private let entries = Mutex<[EnrolmentID: Entry]>([:])

    init(store: Store) {
        self.store = store
    }

    func owns(_ account: AccountID, _ enrolment: EnrolmentID, now: Instant) async throws -> Bool {
        if let entry = entries.withLock({ $0[enrolment] }), entry.foundAt <= now,
            now < entry.foundAt.adding(seconds: Self.seconds)
        {
            return entry.account == account
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

    /// After an erasure.
    func forget(_ enrolment: EnrolmentID) {
        entries.withLock { $0[enrolment] = nil }
    }
}
