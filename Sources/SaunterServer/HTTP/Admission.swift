import Synchronization

/// A bound on what is in work at once, in requests and in bytes of their bodies. Beyond it a request is refused at once, while the server can
/// still say so, instead of everybody waiting.
final class Admission: Sendable {
    private struct State {
        var requests = 0
        var bytes = 0
    }

    private let maximumRequests: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    init(maximumRequests: Int, maximumBytes: Int) {
        self.maximumRequests = maximumRequests
        self.maximumBytes = maximumBytes
    }

    /// Does the work when there is room for one more request of this size. A single body larger than the whole bound is let in alone.
    func hold<Value>(bytes: Int, _ work: () async throws -> Value) async throws -> Value {
        let isAdmitted = state.withLock { state in
            guard state.requests < maximumRequests, state.bytes == 0 || state.bytes + bytes <= maximumBytes
            else {
                return false
            }
            state.requests += 1
            state.bytes += bytes
            return true
        }
        guard isAdmitted else { throw Problem(.busy, "Nothing was acknowledged.", retryAfter: 1) }
        defer {
            state.withLock { state in
                state.requests -= 1
                state.bytes -= bytes
            }
        }
        return try await work()
    }

    /// Requests in work now.
    var requests: Int { state.withLock { $0.requests } }
}
