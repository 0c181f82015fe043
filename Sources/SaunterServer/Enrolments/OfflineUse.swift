import SaunterCore
import SaunterStore

/// What a browser needs to answer questionnaires without a connection.
extension ServerContext {
    /// Plans the occasions of the next days, so that a device knows them before it is offline.
    /// - Parameter days: how many days after today must be planned.
    package func planAhead(_ enrolment: String, of account: AccountID, days: Int, now: Instant) async throws {
        guard let id = EnrolmentID(enrolment), try await memberships.owns(account, id, now: now),
            let found = try await store.findEnrolment(id), found.state == .active,
            found.plannedThrough < found.zone.local(of: now).date.adding(days: days)
        else { return }
        try await store.extendHorizon(id, study: try await study(of: found).study, now: now)
    }

    /// The key with which the browser encrypts the unsent records of an account before it logs out, 32 bytes.
    package func deviceKey(of identity: Identity) -> [UInt8] { store.secrets.deviceKey(of: identity.account) }
}
