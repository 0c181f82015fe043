import SaunterCore

/// An account with decrypted name and address. It must not be logged.
package struct Account: Sendable {
    package var id: AccountID
    package var email: String
    package var name: String
    package var passwordHash: String
    package var zone: Zone?
    package var language: String?
    package var createdAt: Instant
    /// When a code from a mail proved that the address belongs to the account. Nil until then: the address
    /// receives codes and no other mail.
    package var emailVerifiedAt: Instant?

    package init(
        id: AccountID, email: String, name: String, passwordHash: String, zone: Zone?, language: String?,
        createdAt: Instant, emailVerifiedAt: Instant? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.passwordHash = passwordHash
        self.zone = zone
        self.language = language
        self.createdAt = createdAt
        self.emailVerifiedAt = emailVerifiedAt
    }
}

/// What an account may do in a study, or on the whole server (`admin`).
package enum Role: String, Sendable, Hashable, CaseIterable {
    case researcher, coordinator, admin
}

/// A role in one study. An admin's grant has the study `*`, which means all studies.
package struct Grant: Sendable, Hashable {
    /// The `study` of an admin's grant for all studies.
    package static let allStudies = "*"

    package var role: Role
    package var study: String
    /// Whether the account may export the profile `full`.
    package var fullExport: Bool

    package init(role: Role, study: String, fullExport: Bool = false) {
        self.role = role
        self.study = study
        self.fullExport = fullExport
    }
}
