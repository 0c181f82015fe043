import Logging
import Synchronization

/// Leaving a server that has stopped answering without closing its connections, as one does whose machine stands still: its system still takes
/// what is sent, so nothing breaks, and another leads meanwhile.
extension Pool {
    /// Begins to look after the connections, once, where there are several hosts and one of them leads.
    func watchForSilence() {
        guard settings.string.seeksLeader else { return }
        let isFirst = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard isFirst else { return }
        Task.detached { [weak self, patience] in
            while await self?.leaveSilentServer() ?? false { try await Task.sleep(for: patience / 2) }
        }
    }

    /// When an answer is long in coming, looks who leads now. Where it is another, everything that leads elsewhere is given up: what was under
    /// way there fails as it does when a connection breaks, a commit with its outcome unknown.
    /// - Returns: whether to look again.
    private func leaveSilentServer() async -> Bool {
        let now = ContinuousClock.now
        let isSilent = state.withLock { state in
            state.connections.values.contains { connection in
                connection.waitsSince.map { now - $0 > patience } ?? false
            }
        }
        // Where nobody can be reached nothing is better than to wait.
        guard isSilent, let leader = await findLeader() else { return !isClosing }
        perform { state in
            let strays = state.connections.filter { $0.value.server != leader }.keys
            return state.machine.strayed(Set(strays))
        }
        return !isClosing
    }

    private func findLeader() async -> String? {
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
