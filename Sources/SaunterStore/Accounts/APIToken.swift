import Foundation
import SaunterCore

/// Marks ids of API tokens.
package enum APITokenTag {}
/// The random UUID of an API token. It is not secret: the audit contains it, and a revocation names it.
package typealias APITokenID = ID<APITokenTag>

/// A long-lived token with which a researcher's programs read one study. It permits nothing else.
package struct APIToken: Sendable, Hashable {
    /// The export profiles that a token can permit.
    package enum Profile: String, Sendable, CaseIterable {
        case coded, full
    }

    /// Shown in lists; it does not permit anything.
    package var id: APITokenID
    /// The account that created the token and whose role it needs.
    package var account: AccountID
    /// The code of the only study that the token can read.
    package var study: String
    /// Text chosen by the account that created the token.
    package var label: String
    /// The upper bound of what the token can read.
    package var profile: Profile
    /// By the server's clock.
    package var createdAt: Instant
    /// From this instant on, the token is invalid.
    package var expiresAt: Instant
    /// The last use, rounded to the hour.
    package var usedAt: Instant?
    /// From this instant on, the token is invalid; nil if it is not revoked.
    package var revokedAt: Instant?

    /// Creates a token that is not used yet, unless `usedAt` says otherwise.
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

    /// Whether the token is neither revoked nor expired.
    package func isValid(at now: Instant) -> Bool { revokedAt == nil && now < expiresAt }
}

/// The secret of an API token: 32 hexadecimal digits, the form that REDCap clients require.
package struct APITokenSecret: Sendable {
    /// 128 random bits. Only the owner may see them.
    package var text: String { secret.revealed }
    private let secret: Secret<String>
    /// SHA-256 of the text: the stored value. No slow hash is needed, because 128 random bits cannot be guessed.
    package var digest: [UInt8] { RandomToken.digest(of: text) }

    /// A new secret from the system's random number generator.
    package static func make() -> APITokenSecret {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<32).map { _ in
            String(UInt8.random(in: 0..<16, using: &generator), radix: 16, uppercase: true)
        }
        return APITokenSecret(text: digits.joined())
    }

    /// The secret that a client presented, in upper or lower case. Nil if the text is not 32 hexadecimal digits.
    package init?(presented: String) {
        let isHexadecimal = presented.utf8.allSatisfy { Hex.value(of: $0) != nil }
        guard presented.utf8.count == 32, isHexadecimal else { return nil }
        self.init(text: presented.uppercased())
    }

    private init(text: String) {
        secret = Secret(text)
    }
}
