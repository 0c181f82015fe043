import Logging
import Synchronization

/// Leaves a primary that hangs.
///
/// A hanging server sends no answers but does not close its connections. Its operating system still accepts data, so no
/// connection breaks. Meanwhile another server can become the primary.
extension Pool {
    /// Starts the task that calls `checkForFailover`. Starts it once, and only if the connection string lists several
    /// hosts and requires the primary.
    func startFailoverTask() {
        guard settings.connectionString.requiresPrimary else { return }
        let isFirst = state.withLock { state in
            defer { state.hasFailoverTask = true }
            return !state.hasFailoverTask
        }
        guard isFirst else { return }
        Task.detached { [weak self, failoverCheckDelay] in
            while await self?.checkForFailover() ?? false {
                try await Task.sleep(for: failoverCheckDelay / 2)
            }
        }
    }

    /// Looks for the current primary if an answer is late. Then aborts the connections to all other servers.
    ///
    /// Their requests fail in the same way as when a connection breaks. The outcome of a commit is then unknown.
    /// - Returns: Whether to check again.
    private func checkForFailover() async -> Bool {
        let now = ContinuousClock.now
        let isAnswerLate = state.withLock { state in
            state.connections.values.contains { connection in
                connection.requestStartedAt.map { now - $0 > failoverCheckDelay } ?? false
            }
        }
        // If no primary accepts a connection, the requests keep waiting: no other server could answer them.
        guard isAnswerLate, let primary = await findPrimary() else { return !isClosing }
        perform { state in
            let stale = state.connections.filter { $0.value.server != primary }.keys
            return state.machine.becameStale(Set(stale))
        }
        return !isClosing
    }

    /// The host and port of the current primary; nil if no connection to a primary succeeds.
    private func findPrimary() async -> String? {
        do throws(DatabaseError) {
            let connection = try await Connection.open(settings)
            defer { Task { await connection.close() } }
            return connection.server
        } catch {
            settings.logger.warning("the database does not answer", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
