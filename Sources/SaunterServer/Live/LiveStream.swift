import Logging
import SaunterCore
import SaunterStore

/// Sends the changes of a study to one client as server-sent events, until the client disconnects, its access ends or
/// the server stops.
struct LiveStream: Sendable {
    /// The time between two signs of life, in seconds. The role is checked as often, and when a role in the study is
    /// removed.
    static let heartbeatSeconds = 15
    private static let heartbeat = Duration.seconds(heartbeatSeconds)

    let study: String
    let caller: Identity
    let store: Store
    let revocations: RevocationList
    let now: @Sendable () -> Instant
    let logger: Logger

    /// - Parameters:
    ///   - start: the client has all changes up to this number.
    ///   - subscription: ends the stream when it ends.
    /// - Throws: errors of the connection and of the database. The client then connects again.
    func run(
        from start: Int64, _ subscription: LiveSubscription, to writer: inout BodyWriter
    ) async throws {
        var position = start
        var (writtenAt, checkedAt) = (ContinuousClock.now, ContinuousClock.now)
        try await writer.write(LiveEvents.ready(at: position))
        for await signal in subscription.signals {
            if let end = endOfLogin() { return try await writer.write(LiveEvents.end(end)) }
            let before = position
            if let batch = signal.batch, batch.after <= position {
                try await write(batch.events, after: &position, to: &writer)
                position = max(position, batch.reached)
            }
            try await catchUp(to: signal.reached, &position, to: &writer)
            let clock = ContinuousClock.now
            if signal.isRoleChange || clock - checkedAt >= Self.heartbeat {
                guard await hasRole() else {
                    return try await writer.write(LiveEvents.end(.accessRevoked))
                }
                checkedAt = clock
            }
            if position == before, clock - writtenAt >= Self.heartbeat {
                try await writer.write(LiveEvents.heartbeat)
            }
            if position != before || clock - writtenAt >= Self.heartbeat { writtenAt = clock }
        }
        try await writer.write(LiveEvents.end(.shutdown))
    }

    /// Reads the changes that no batch contained: those before the stream began, and those that the client was too slow
    /// for.
    private func catchUp(to reached: Int64, _ position: inout Int64, to writer: inout BodyWriter) async throws
    {
        while position < reached, endOfLogin() == nil {
            let page = try await store.listChangeEvents(
                of: study, after: position, limit: LiveFeed.pageSize)
            try await write(page, after: &position, to: &writer)
            guard page.count == LiveFeed.pageSize else {
                position = max(position, reached)
                return
            }
        }
    }

    private func write(
        _ events: [ChangeEvent], after position: inout Int64, to writer: inout BodyWriter
    ) async throws {
        let sent = position
        let new = events.filter { $0.sequence > sent }
        guard let last = new.last else { return }
        try await writer.write(new.map(LiveEvents.change).joined())
        position = last.sequence
    }

    private func endOfLogin() -> LiveEvents.End? {
        if let expiresAt = caller.expiresAt, now() >= expiresAt { return .tokenExpired }
        // The client connects again: that needs a session that was used in the meantime.
        if let session = caller.session, !session.isOpenForStaff(at: now()) { return .tokenExpired }
        return revocations.contains(caller.family) ? .accessRevoked : nil
    }

    /// Whether the account still has the role. If the database does not answer, the stream continues: its token expires
    /// soon.
    private func hasRole() async -> Bool {
        do {
            let grants = try await store.listGrants(caller.account)
            let current = Identity(account: caller.account, family: caller.family, grants: grants)
            return current.grant(.researcher, study: study) != nil
        } catch {
            logger.warning("the role of a live stream could not be checked: \(error)")
            return true
        }
    }
}
