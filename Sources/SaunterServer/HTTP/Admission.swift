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
        try enter(bytes)
        defer { leave(bytes) }
        return try await work()
    }

    private func enter(_ bytes: Int) throws(Problem) {
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
    }

    private func leave(_ bytes: Int) {
        state.withLock { state in
            state.requests -= 1
            state.bytes -= bytes
        }
    }

    /// Lets a request in for as long as somebody holds the pass.
    func admit(bytes: Int) throws(Problem) -> Pass {
        try enter(bytes)
        return Pass(self, bytes)
    }

    /// A request's place among those in work; given back when nobody holds it any more.
    final class Pass: Sendable {
        private let admission: Admission
        private let bytes: Mutex<Int>

        fileprivate init(_ admission: Admission, _ bytes: Int) {
            self.admission = admission
            self.bytes = Mutex(bytes)
        }

        deinit {
            admission.leave(bytes.withLock { $0 })
        }

        /// Makes sure that the place has so many bytes. What it has grown to it keeps.
        func cover(bytes wanted: Int) throws(Problem) {
            let isCovered = bytes.withLock { held in
                guard wanted > held else { return true }
                // In steps, so that a line that grows does not ask for every piece of it.
                let more = max(wanted - held, held)
                let isAdmitted = admission.state.withLock { state in
                    guard state.bytes + more <= admission.maximumBytes else { return false }
                    state.bytes += more
                    return true
                }
                if isAdmitted { held += more }
                return isAdmitted
            }
            guard isCovered else {
                throw Problem(.busy, "There is no room for a body of this size now.", retryAfter: 1)
            }
        }
    }

    /// Requests in work now.
    var requests: Int { state.withLock { $0.requests } }
}
