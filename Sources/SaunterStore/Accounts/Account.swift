import SaunterCore

/// An account with decrypted name and address. It must not be logged.
package struct Account: Sendable {
    /// A random UUID that only the identity tables contain.
    package var id: AccountID
    /// How the owner logs in.
    package var kind: AccountKind
    /// The mail address for logins and messages, as entered; nil for an anonymous account.
    package var email: String?
    /// The name by which messages address the owner of the account. Empty until an anonymous account states one.
    package var name: String
    /// Argon2id in the PHC string format, or `PasswordHash.none`, which an anonymous account has.
    package var passwordHash: String
    /// The time zone of new enrolments; nil if the owner chose none, or one that this server does not know.
    package var zone: Zone?
    /// The language of messages, as a BCP 47 tag; nil if the owner chose none.
    package var language: String?
    /// By the server's clock.
    package var createdAt: Instant
    /// When a code from a mail proved that the address belongs to the account. Nil until then: the address receives
    /// codes and no other mail.
    package var emailVerifiedAt: Instant?

    /// Creates a registered account that is not stored yet.
    package init(
        id: AccountID, email: String, name: String, passwordHash: String, zone: Zone?, language: String?,
        createdAt: Instant, emailVerifiedAt: Instant? = nil
    ) {
        self.id = id
        kind = .registered
        self.email = email
        self.name = name
        self.passwordHash = passwordHash
        self.zone = zone
        self.language = language
        self.createdAt = createdAt
        self.emailVerifiedAt = emailVerifiedAt
    }

    /// Creates an anonymous account that is not stored yet.
    package init(anonymous id: AccountID, zone: Zone?, language: String?, createdAt: Instant) {
        self.id = id
        kind = .anonymous
        name = ""
        passwordHash = PasswordHash.none.text
        self.zone = zone
        self.language = language
        self.createdAt = createdAt
    }

    /// Creates an account from its stored values.
    init(
        id: AccountID, kind: AccountKind, email: String?, name: String, passwordHash: String?, zone: Zone?,
        language: String?, createdAt: Instant, emailVerifiedAt: Instant?
    ) {
        self.id = id
        self.kind = kind
        self.email = email
        self.name = name
        self.passwordHash = passwordHash ?? PasswordHash.none.text
        self.zone = zone
        self.language = language
        self.createdAt = createdAt
        self.emailVerifiedAt = emailVerifiedAt
    }
}

/// What an account may do in a study, or on the whole server (`admin`).
package enum Role: String, Sendable, Hashable, CaseIterable {
    case researcher, coordinator, editor, admin

    /// Whether the role reads answers of participants, under pseudonyms.
    package var readsAnswers: Bool { self == .researcher || self == .coordinator }
}

/// A role in one study. An admin's grant has the study `*`, which means all studies.
package struct Grant: Sendable, Hashable {
    /// The `study` of an admin's grant for all studies.
    package static let allStudies = "*"

    /// What the account may do in the study.
    package var role: Role
    /// The code of the study, or `allStudies`.
    package var study: String
    /// Whether the account may export the profile `full`.
    package var fullExport: Bool
    /// Whether the account sees the codes of arms in a blinded study. Otherwise it sees letters.
    package var seesArms: Bool

    /// Creates a grant; by default without full exports, and blinded.
    package init(role: Role, study: String, fullExport: Bool = false, seesArms: Bool = false) {
        self.role = role
        self.study = study
        self.fullExport = fullExport
        self.seesArms = seesArms
    }
}
