import SaunterCore
import SaunterStore

/// How long a browser session is open for routes that need a role. The session of a participant has none of these
/// limits.
enum StaffSession {
    /// After the password was entered: eight hours.
    static let maximumSeconds = 8 * 3600
    /// Without a request: half an hour.
    static let idleSeconds = 30 * 60
    /// After the password was entered, for acts that need it again: ten minutes.
    static let confirmationSeconds = 10 * 60
    /// The use of a session is stored at most once a minute.
    static let usePrecisionSeconds = 60
}

extension WebSession {
    /// Whether the password was entered within eight hours, and the session was used within half an hour.
    func isOpenForStaff(at now: Instant) -> Bool {
        Self.isWithin(StaffSession.maximumSeconds, of: confirmedAt, now)
            && Self.isWithin(StaffSession.idleSeconds, of: seenAt, now)
    }

    /// Whether the password was entered within ten minutes.
    package func isConfirmed(at now: Instant) -> Bool {
        Self.isWithin(StaffSession.confirmationSeconds, of: confirmedAt, now)
    }

    /// Whether the use of the session at this instant has to be stored. A session that is no longer open is not opened
    /// by using it.
    func needsRecordOfUse(at now: Instant) -> Bool {
        isOpenForStaff(at: now) && !Self.isWithin(StaffSession.usePrecisionSeconds, of: seenAt, now)
    }

    private static func isWithin(_ seconds: Int, of instant: Instant?, _ now: Instant) -> Bool {
        instant.map { now < $0.adding(seconds: seconds) } ?? false
    }
}

extension Identity {
    /// Requires that a browser session is open for routes that need a role. A token has its own limits.
    /// - Throws: `password-required`.
    func requireStaffSession(at now: Instant) throws(Problem) {
        guard session.map({ $0.isOpenForStaff(at: now) }) ?? true else {
            throw Problem(
                .passwordRequired, "The session was not used for 30 minutes, or the password is 8 hours old.")
        }
    }

    /// Requires that the password was entered in the browser session within ten minutes. A token is not asked for it:
    /// a program has no person in front of it.
    /// - Throws: `password-required`.
    func requireConfirmedPassword(at now: Instant) throws(Problem) {
        guard session.map({ $0.isConfirmed(at: now) }) ?? true else {
            throw Problem(.passwordRequired, "This needs the password, entered within the last 10 minutes.")
        }
    }
}
