import Synchronization

/// Limits the requests in progress and the bytes of their bodies. A request above a limit is rejected at once with 503
/// (`busy`), so that the accepted requests stay fast.
///
/// When half of a limit is used, each client may use only a small share of the limit. So one account with very many
/// connections cannot block the others.
package final class LoadShedder: Sendable {
    private struct Load {
        var requests = 0
        var bytes = 0
    }

    private struct State {
        var total = Load()
        var clients: [ThrottleKey: Load] = [:]
    }

    private let maximumRequests: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maximumRequests: requests in progress at the same time.
    ///   - maximumBytes: bytes of their bodies together.
    package init(maximumRequests: Int, maximumBytes: Int) {
        self.maximumRequests = maximumRequests
        self.maximumBytes = maximumBytes
    }

    /// Runs `work` while holding a permit for one request of this size.
    /// - Parameters:
    ///   - bytes: a request above `maximumBytes` is accepted only while no other bytes are in progress.
    ///   - client: the account or address whose share is counted; nil if the limits are not shared between clients.
    /// - Throws: `busy` above a limit, and the errors of `work`.
    package func withPermit<Value>(
        bytes: Int, for client: ThrottleKey?, _ work: () async throws -> Value
    ) async throws -> Value {
        try add(bytes, client)
        defer { remove(bytes, client) }
        return try await work()
    }

    /// Returns a permit for one request of this size. The parameters are those of `withPermit`.
    /// - Throws: `busy` above a limit.
    func acquire(bytes: Int, for client: ThrottleKey?) throws(Problem) -> Permit {
        try add(bytes, client)
        return Permit(self, bytes, client)
    }

    private func add(_ bytes: Int, _ client: ThrottleKey?) throws(Problem) {
        let isAccepted = state.withLock { state in
            guard state.total.requests < maximumRequests,
                state.total.bytes == 0 || state.total.bytes + bytes <= maximumBytes,
                isWithinShare(bytes, isNew: true, client, state)
            else { return false }
            state.total.requests += 1
            state.total.bytes += bytes
            if let client {
                state.clients[client, default: Load()].requests += 1
                state.clients[client, default: Load()].bytes += bytes
            }
            return true
        }
        guard isAccepted else {
            throw Problem(
                .busy,
                "The server has reached a limit of concurrent requests or of their size, or this client has reached its share. Nothing was stored.",
                retryAfter: 1)
        }
    }

    private func remove(_ bytes: Int, _ client: ThrottleKey?) {
        state.withLock { state in
            state.total.requests -= 1
            state.total.bytes -= bytes
            guard let client, var load = state.clients[client] else { return }
            load.requests -= 1
            load.bytes -= bytes
            state.clients[client] = load.requests > 0 ? load : nil
        }
    }

    /// Whether a client may use this many more bytes. While less than half of both limits is used, it may. After that a
    /// client gets at most a sixteenth of the requests and a quarter of the bytes, but always one request of any size.
    /// - Parameter isNew: false for a request that already has a permit and needs more bytes.
    private func isWithinShare(_ bytes: Int, isNew: Bool, _ client: ThrottleKey?, _ state: State) -> Bool {
        let isHalfUsed =
            state.total.requests >= (maximumRequests + 1) / 2 || state.total.bytes >= maximumBytes / 2
        guard isHalfUsed, let client, let load = state.clients[client] else { return true }
        let isBelowRequestShare = !isNew || load.requests < max(1, maximumRequests / 16)
        return isBelowRequestShare
            && (load.requests <= (isNew ? 0 : 1) || load.bytes + bytes <= maximumBytes / 4)
    }

    /// The right to work on one request. It ends when the last reference to it is released. A permit never shrinks.
    final class Permit: Sendable {
        private let loadShedder: LoadShedder
        private let client: ThrottleKey?
        private let bytes: Mutex<Int>

        fileprivate init(_ loadShedder: LoadShedder, _ bytes: Int, _ client: ThrottleKey?) {
            self.loadShedder = loadShedder
            self.client = client
            self.bytes = Mutex(bytes)
        }

        deinit {
            loadShedder.remove(bytes.withLock { $0 }, client)
        }

        /// Extends the permit to at least so many bytes.
        /// - Throws: `busy` above a limit; the permit then keeps its size.
        func grow(toBytes wanted: Int) throws(Problem) {
            let isLargeEnough = bytes.withLock { current in
                guard wanted > current else { return true }
                // At least doubled, so that a body that grows in small pieces does not need this lock for each of them.
                let more = max(wanted - current, current)
                let isAccepted = loadShedder.state.withLock { state in
                    guard state.total.bytes + more <= loadShedder.maximumBytes,
                        loadShedder.isWithinShare(more, isNew: false, client, state)
                    else { return false }
                    state.total.bytes += more
                    if let client { state.clients[client]?.bytes += more }
                    return true
                }
                if isAccepted { current += more }
                return isAccepted
            }
            guard isLargeEnough else {
                throw Problem(
                    .busy,
                    "The server has reached its limit for the size of concurrent requests, or this client has reached its share.",
                    retryAfter: 1)
            }
        }
    }

    /// The number of requests that have a permit now.
    var requests: Int { state.withLock { $0.total.requests } }
}
