/// How the owner of an account logs in. The raw values are stored, and are words of packs and of the API.
package enum AccountKind: String, Sendable, Hashable, CaseIterable {
    /// Without an address and a password. Only the device that created the account can use it.
    case anonymous
    /// With an address and a password.
    case registered

    /// The time in seconds for which a login of such an account is valid. The login of an anonymous account is extended
    /// with each use, because its owner cannot log in again. No browser keeps a cookie longer than 400 days.
    package var loginSeconds: Int {
        switch self {
        case .anonymous: 400 * 86_400
        case .registered: 90 * 86_400
        }
    }
}

/// Which accounts may enrol in a study, and how long anonymous ones are kept.
package struct AccountPolicy: Sendable, Hashable {
    /// The kinds of accounts that may enrol. Never empty.
    package var kinds: Set<AccountKind>
    /// An anonymous account that was not used for this many days is erased with its data. Nil: it is kept.
    package var anonymousKeptDays: Int?
    /// Whether coordinators may read the names and addresses of participants.
    package var showsContact: Bool

    /// Creates a policy; by default only registered accounts may enrol, and the team sees pseudonyms only.
    package init(
        kinds: Set<AccountKind> = [.registered], anonymousKeptDays: Int? = nil, showsContact: Bool = false
    ) {
        self.kinds = kinds
        self.anonymousKeptDays = anonymousKeptDays
        self.showsContact = showsContact
    }

    /// An anonymous account that is enrolled in no study is erased after this many days without use.
    package static let daysWithoutStudy = 30

    /// How many days without use an anonymous account is kept.
    /// - Parameter policies: those of the studies in which the account is enrolled.
    /// - Returns: the longest time of these studies; nil if one of them keeps the account.
    package static func daysWithoutUse(_ policies: [AccountPolicy]) -> Int? {
        var longest = policies.isEmpty ? daysWithoutStudy : 0
        for policy in policies {
            guard let days = policy.anonymousKeptDays else { return nil }
            longest = max(longest, days)
        }
        return longest
    }
}
