/// The life of one request to the server and its answer: how long to wait, when to ask the server to stop,
/// and when to give the connection up. Decided here without a clock or a socket; `Session` performs it.
struct Exchange {
    typealias Instant = ContinuousClock.Instant

    /// Why the server was asked to stop.
    enum Stop: Hashable {
        case cancelled
        case timedOut
    }

    /// What is to be done now.
    enum Action: Hashable {
        /// Wait for the server, at most until then.
        case wait(until: Instant?)
        /// Ask the server to stop, then wait as before.
        case requestStop
        /// The server does not react: the connection is of no use any more.
        case abandon
    }

    private enum State {
        /// The server works. May become stopping.
        case running
        /// The server was asked to stop and has time until then to say so.
        case stopping(Stop, until: Instant)
    }

    /// How long the server may take to react to a request to stop.
    static let grace = Duration.seconds(5)

    let number: UInt64
    private let startedAt: Instant
    /// The limit that the server was told; ours comes a little later, for when the server itself hangs.
    private let limit: Duration?
    private let isInterruptible: Bool
    /// It serves only to break off what the server is sending.
    private let stopsAtOnce: Bool
    /// Its end commits, so that losing the connection meanwhile leaves the commit unknown.
    let commits: Bool
    private var state = State.running

    /// Without `limit` the server may take for ever. An exchange that is not interruptible (COMMIT, ROLLBACK)
    /// goes on when its task is cancelled.
    init(
        number: UInt64, startedAt: Instant, limit: Duration?, isInterruptible: Bool, commits: Bool,
        stopsAtOnce: Bool = false
    ) {
        self.number = number
        self.startedAt = startedAt
        self.limit = limit
        self.isInterruptible = isInterruptible
        self.commits = commits
        self.stopsAtOnce = stopsAtOnce
    }

    /// Why the server was asked to stop, if it was.
    var stop: Stop? {
        if case .stopping(let stop, _) = state { stop } else { nil }
    }

    /// The end of the server's time to react, once it was asked to stop.
    var graceEnd: Instant? {
        if case .stopping(_, let end) = state { end } else { nil }
    }

    /// To be asked before each wait.
    mutating func next(at now: Instant, isInterrupted: Bool, isAborted: Bool) -> Action {
        if isAborted { return .abandon }
        switch state {
        case .running:
            if stopsAtOnce || (isInterrupted && isInterruptible) { return requestStop(.cancelled, now) }
            guard let limit else { return .wait(until: nil) }
            let end = startedAt + limit + Self.grace
            return now < end ? .wait(until: end) : requestStop(.timedOut, now)
        case .stopping(_, let end):
            return now < end ? .wait(until: end) : .abandon
        }
    }

    private mutating func requestStop(_ stop: Stop, _ now: Instant) -> Action {
        state = .stopping(stop, until: now + Self.grace)
        return .requestStop
    }

    /// What a refusal by the server means here: 57014 says only that the statement was stopped, not by whom.
    func meaning(of fault: ServerFault, at now: Instant) -> DatabaseError.Kind {
        guard fault.state == .queryCanceled else { return .server(fault) }
        switch stop {
        case .cancelled: return .cancelled
        case .timedOut: return .timeout(.statement)
        case nil:
            if let limit, now - startedAt >= limit { return .timeout(.statement) }
            return .server(fault)
        }
    }
}
