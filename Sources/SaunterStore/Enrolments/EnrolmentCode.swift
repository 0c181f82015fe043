import SaunterCore

/// Marks ids of enrolment codes.
package enum EnrolmentCodeTag {}
/// The random UUID of an enrolment code. It is not the code itself.
package typealias EnrolmentCodeID = ID<EnrolmentCodeTag>

/// A code with which participants join a study. The code itself is shown once, when it is created.
package struct EnrolmentCode: Sendable, Hashable {
    /// Whether participants can join with the code, or why not.
    package enum State: String, Sendable, CaseIterable {
        case active, revoked, expired
        case usedUp = "used_up"
    }

    /// Shown in lists; it permits nothing.
    package var id: EnrolmentCodeID
    /// Text chosen by the account that created the code.
    package var label: String
    /// How many participants can join with the code.
    package var maximumUses: Int
    /// How many participants have joined with it. Participants who were erased since still count.
    package var uses: Int
    /// By the server's clock.
    package var createdAt: Instant
    /// From this instant on, the code is invalid.
    package var expiresAt: Instant
    /// From this instant on, the code is invalid; nil if it is not revoked.
    package var revokedAt: Instant?

    /// Creates the description of a code; by default of an unused one.
    package init(
        id: EnrolmentCodeID, label: String, maximumUses: Int, uses: Int = 0, createdAt: Instant,
        expiresAt: Instant, revokedAt: Instant? = nil
    ) {
        self.id = id
        self.label = label
        self.maximumUses = maximumUses
        self.uses = uses
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    /// The state at a moment. A revocation comes first, because it is final.
    package func state(at now: Instant) -> State {
        if revokedAt != nil { return .revoked }
        if now >= expiresAt { return .expired }
        return uses < maximumUses ? .active : .usedUp
    }
}

/// Codes that are created together, with the same label and limits.
package struct EnrolmentCodeBatch: Sendable {
    /// The code of the study.
    package var study: String
    /// Text chosen by the account that creates the codes.
    package var label: String
    /// The number of codes.
    package var count: Int
    /// How many participants can join with each code.
    package var maximumUses: Int
    /// From this instant on, the codes are invalid.
    package var expiresAt: Instant

    /// Creates a batch that is not stored yet.
    package init(study: String, label: String, count: Int, maximumUses: Int, expiresAt: Instant) {
        self.study = study
        self.label = label
        self.count = count
        self.maximumUses = maximumUses
        self.expiresAt = expiresAt
    }

    /// The bounds of `count`.
    package static let counts = 1...500
    /// The bounds of `maximumUses`.
    package static let uses = 1...10_000
    /// The bounds of the time from the creation to `expiresAt`, in seconds: one minute to five years.
    package static let lifetimes = 60...(1827 * 86_400)
    /// The maximum number of characters of `label`.
    package static let maximumLabelLength = 100
    /// The lifetime if none is given, in seconds: 90 days.
    package static let defaultLifetimeSeconds = 90 * 86_400
}

/// Why a code admits no participant.
package enum EnrolmentCodeRejection: Error, Sendable, Hashable {
    /// The study has no such code.
    case unknown
    case revoked, expired, usedUp
}

/// The study has as many usable codes as one study can have.
package struct TooManyEnrolmentCodes: Error {
    /// The number of usable codes that one study can have.
    package let maximum: Int
}
