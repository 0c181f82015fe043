import Foundation
import SaunterCore

package enum APITokenTag {}
package typealias APITokenID = ID<APITokenTag>

/// A long-lived token with which a researcher's programs read one study, and can do nothing else.
package struct APIToken: Sendable, Hashable {
    package enum Profile: String, Sendable, CaseIterable {
        case coded, full
    }

    package var id: APITokenID
    package var account: AccountID
    package var study: String
    /// In the words of whoever made it.
    package var label: String
    /// What it may tell at most.
    package var profile: Profile
    package var createdAt: Instant
    package var expiresAt: Instant
    /// The last use, to the hour.
    package var usedAt: Instant?
    package var revokedAt: Instant?

    package init(
        id: APITokenID, account: AccountID, study: String, label: String, profile: Profile,
        createdAt: Instant, expiresAt: Instant, usedAt: Instant? = nil, revokedAt: Instant? = nil
    ) {
        self.id = id
        self.account = account
        self.study = study
        self.label = label
        self.profile = profile
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
        self.revokedAt = revokedAt
    }

    /// Whether it opens anything at this moment.
    package func isValid(at now: Instant) -> Bool { revokedAt == nil && now < expiresAt }
}

/// The secret of an API token, in the form that clients of REDCap insist on: 32 hexadecimal digits.
package struct APITokenSecret: Sendable {
    /// 128 random bits. For its owner alone.
    package let text: String
    /// SHA-256 of the text: what is stored. Plain, because 128 random bits cannot be guessed.
    package var digest: [UInt8] { RandomToken.digest(of: text) }

    /// A new one, from the system's source of randomness.
    package static func make() -> APITokenSecret {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<32).map { _ in
            String(UInt8.random(in: 0..<16, using: &generator), radix: 16, uppercase: true)
        }
        return APITokenSecret(text: digits.joined())
    }

    /// A presented text that has the form, whatever the case of its digits; nil for any other.
    package init?(presented: String) {
        let isHexadecimal = presented.utf8.allSatisfy {
            (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0)
        }
        guard presented.utf8.count == 32, isHexadecimal else { return nil }
        self.init(text: presented.uppercased())
    }

    private init(text: String) {
        self.text = text
    }
}
