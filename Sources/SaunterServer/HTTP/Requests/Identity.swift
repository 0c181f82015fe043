import Foundation
import SaunterCore
import SaunterStore

/// The authenticated caller of a request.
package struct Identity: Sendable, Hashable {
    /// The account that the token names.
    package let account: AccountID
    /// The login on one device to which the token belongs.
    package let family: UUID
    /// The grants of the account. Empty if the route needs no role; the server then does not read them.
    package let grants: [Grant]
    /// The API token, if the caller sent one instead of an access token. `grants` then contain only what this token
    /// allows.
    package let apiToken: APITokenID?
    /// When the access token expires; nil for an API token and for a browser session.
    package let expiresAt: Instant?
    /// The browser session; nil for a caller with a token.
    package let session: WebSession?

    /// Creates the identity of a verified caller.
    package init(
        account: AccountID, family: UUID, grants: [Grant] = [], apiToken: APITokenID? = nil,
        expiresAt: Instant? = nil, session: WebSession? = nil
    ) {
        self.account = account
        self.family = family
        self.grants = grants
        self.apiToken = apiToken
        self.expiresAt = expiresAt
        self.session = session
    }

    /// The grant that allows this role in a study. A coordinator is also a researcher. An admin may do what a
    /// coordinator and an editor may do, in the study of the grant or in all studies, but is no researcher.
    package func grant(_ role: Role, study: String) -> Grant? {
        grants.first {
            ($0.study == study || $0.study == Grant.allStudies) && Self.includes($0.role, role)
        }
    }

    /// Whether a grant in the study shows the codes of arms, also if the study is blinded.
    package func seesArms(in study: String) -> Bool {
        grants.contains { $0.study == study && $0.role.readsAnswers && $0.seesArms }
    }

    /// Whether this is the browser session of an anonymous account.
    package var isAnonymousSession: Bool { session?.kind == .anonymous }

    /// The value of the session cookie if this request extended the login of an anonymous account, so that the browser
    /// keeps the cookie as long.
    package var renewedCookie: String? { session?.renewedCookie }

    /// Whether the account has the role in any study.
    package func has(_ role: Role) -> Bool {
        grants.contains { Self.includes($0.role, role) }
    }

    private static func includes(_ granted: Role, _ needed: Role) -> Bool {
        switch (granted, needed) {
        case (.coordinator, .researcher), (.admin, .coordinator), (.admin, .editor): true
        default: granted == needed
        }
    }
}

/// The caller of a route that needs no authentication.
package struct Anyone: Sendable, Hashable {}

/// A visitor of a page.
package struct Visitor: Sendable, Hashable {
    /// The login of the browser session; nil without a session.
    package let identity: Identity?
}
