import Foundation
import SaunterCore
import SaunterStore

/// Who sent a request, once the access token was found good.
package struct Identity: Sendable, Hashable {
    package let account: AccountID
    /// The login on one device that the token came of.
    package let family: UUID
    /// Empty where the route asks for no role: then nobody looked them up.
    package let grants: [Grant]
    /// The API token that was sent in place of an access token. `grants` then hold no more than it allows.
    package let apiToken: APITokenID?

    package init(
        account: AccountID, family: UUID, grants: [Grant] = [], apiToken: APITokenID? = nil
    ) {
        self.account = account
        self.family = family
        self.grants = grants
        self.apiToken = apiToken
    }

    /// The grant that allows this role in a study: a coordinator is a researcher too, an admin is neither.
    package func grant(_ role: Role, study: String) -> Grant? {
        grants.first { $0.study == study && Self.covers($0.role, role) }
    }

    /// Whether any study has given this account the role.
    package func has(_ role: Role) -> Bool {
        grants.contains { Self.covers($0.role, role) }
    }

    private static func covers(_ given: Role, _ asked: Role) -> Bool {
        given == asked || (given == .coordinator && asked == .researcher)
    }
}

/// The caller of a route that anyone may call.
package struct Anyone: Sendable, Hashable {}
