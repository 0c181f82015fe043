import Synchronization

/// A bound on what is in work at once, in requests and in bytes of their bodies. Beyond it a request is refused at once, while the server can
/// still say so, instead of everybody waiting. Once half of the room is taken nobody gets much of the rest: a crowd of one account's
/// connections leaves room for all others.
final class Admission: Sendable {
    private struct Room {
        var requests = 0
        var bytes = 0
    }

    private struct State {
        var all = Room()
        var shares: [ThrottleKey: Room] = [:]
    }

    private let maximumRequests: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    init(maximumRequests: Int, maximumBytes: Int) {
        self.maximumRequests = maximumRequests
        self.maximumBytes = maximumBytes
    }

    /// Does the work when there is room for one more request of this size. A single body larger than the whole bound is let in alone.
    /// - Parameter asker: whose request it is; nil where room is not shared out.
    func hold<Value>(bytes: Int, for asker: ThrottleKey?, _ work: () async throws -> Value) async throws
        -> Value
    {
        try enter(bytes, asker)
        defer { leave(bytes, asker) }
        return try await work()
    }

    private func enter(_ bytes: Int, _ asker: ThrottleKey?) throws(Problem) {
        let isAdmitted = state.withLock { state in
            guard state.all.requests < maximumRequests, fits(bytes, state.all),
                isFair(bytes, isNew: true, asker, state)
            else { return false }
            state.all.requests += 1
            state.all.bytes += bytes
            if let asker {
                state.shares[asker, default: Room()].requests += 1
                state.shares[asker, default: Room()].bytes += bytes
            }
            return true
        }
        guard isAdmitted else { throw Problem(.busy, "Nothing was acknowledged.", retryAfter: 1) }
    }

    private func leave(_ bytes: Int, _ asker: ThrottleKey?) {
        state.withLock { state in
            state.all.requests -= 1
            state.all.bytes -= bytes
            guard let asker, var share = state.shares[asker] else { return }
            share.requests -= 1
            share.bytes -= bytes
            state.shares[asker] = share.requests > 0 ? share : nil
        }
    }

    private func fits(_ bytes: Int, _ room: Room) -> Bool {
        room.bytes == 0 || room.bytes + bytes <= maximumBytes
    }

    /// While less than half is taken, whatever fits; then to each at most a sixteenth of the requests and a quarter of the bytes, but one
    /// request whatever its size.
    private func isFair(_ bytes: Int, isNew: Bool, _ asker: ThrottleKey?, _ state: State) -> Bool {
        let isCrowded =
            state.all.requests >= (maximumRequests + 1) / 2 || state.all.bytes >= maximumBytes / 2
        guard isCrowded, let asker, let share = state.shares[asker] else { return true }
        let hasPlace = !isNew || share.requests < max(1, maximumRequests / 16)
        return hasPlace && (share.requests <= (isNew ? 0 : 1) || share.bytes + bytes <= maximumBytes / 4)
    }

    /// Lets a request in for as long as somebody holds the pass.
    func admit(bytes: Int, for asker: ThrottleKey?) throws(Problem) -> Pass {
        try enter(bytes, asker)
        return Pass(self, bytes, asker)
    }

    /// A request's place among those in work; given back when nobody holds it any more.
    final class Pass: Sendable {
        private let admission: Admission
        private let asker: ThrottleKey?
        private let bytes: Mutex<Int>

        fileprivate init(_ admission: Admission, _ bytes: Int, _ asker: ThrottleKey?) {
            self.admission = admission
            self.asker = asker
            self.bytes = Mutex(bytes)
        }

        deinit {
            admission.leave(bytes.withLock { $0 }, asker)
        }

        /// Makes sure that the place has so many bytes. What it has grown to it keeps.
        func cover(bytes wanted: Int) throws(Problem) {
            let isCovered = bytes.withLock { held in
                guard wanted > held else { return true }
                // In steps, so that a line that grows does not ask for every piece of it.
                let more = max(wanted - held, held)
                let isAdmitted = admission.state.withLock { state in
                    guard state.all.bytes + more <= admission.maximumBytes,
                        admission.isFair(more, isNew: false, asker, state)
                    else { return false }
                    state.all.bytes += more
                    if let asker { state.shares[asker]?.bytes += more }
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
    var requests: Int { state.withLock { $0.all.requests } }
}
