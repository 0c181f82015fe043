import SaunterCore
import SaunterStore

/// Erases anonymous accounts that were not used for the time that their studies state. A participant who has lost the
/// device cannot log in again and erase the account.
package struct AccountExpiryStep: Sendable {
    /// How many accounts one query lists.
    private static let accountsPerPage = 500
    private static let secondsPerDay = 86_400

    let store: Store
    let catalogue: StudyCatalogue

    /// Creates a step.
    package init(store: Store, catalogue: StudyCatalogue) {
        self.store = store
        self.catalogue = catalogue
    }

    /// Erases all accounts whose time has ended, each in its own transaction. The use of an account is recorded once a
    /// day, so one day is added to each time.
    /// - Returns: the number of accounts that were due.
    package func run(now: Instant) async throws -> Int {
        // No time is shorter than one day.
        let before = now.adding(seconds: -2 * Self.secondsPerDay)
        var count = 0
        var last: UnusedAccount?
        while !Task.isCancelled {
            let page = try await store.listUnusedAccounts(
                before: before, after: last, limit: Self.accountsPerPage)
            for account in page {
                guard let days = try await daysWithoutUse(of: account) else { continue }
                let since = now.adding(seconds: -(days + 1) * Self.secondsPerDay)
                guard account.usedAt < since else { continue }
                let audit = AuditEntry(
                    actor: .system, action: "account_expired",
                    detail: ["enrolments": .int(account.versions.count)])
                // The families that end are read by all servers, so their access tokens are rejected.
                _ = try await store.erase(
                    account: account.id, unusedSince: since, enrolments: [], audit: audit, now: now)
                count += 1
            }
            guard page.count == Self.accountsPerPage else { break }
            last = page.last
        }
        return count
    }

    /// The time of an account in days; nil if it is kept, also if one of its study versions cannot be read.
    private func daysWithoutUse(of account: UnusedAccount) async throws -> Int? {
        var policies: [AccountPolicy] = []
        for version in account.versions {
            guard let found = try await catalogue.find(version.study, version: version.version) else {
                return nil
            }
            policies.append(found.study.accounts)
        }
        return AccountPolicy.daysWithoutUse(policies)
    }
}
