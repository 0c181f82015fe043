/// The state machine of one request to the server and its response. It decides how long to wait, when to ask the server
/// to stop, and when to abandon the connection. It uses no clock and no socket; `Session` performs its actions.
struct Exchange {
    typealias Instant = ContinuousClock.Instant

    /// The reason why the client asked the server to stop.
    enum StopReason: Hashable {
        case cancelled
        case timedOut
    }

    /// What the session must do now.
    enum Action: Hashable {
        /// Wait for the server, at most until this instant. nil means no limit.
        case wait(until: Instant?)
        /// Ask the server to stop, then ask for the next action.
        case requestStop
        /// Drop the connection, because the server does not react or the connection was aborted.
        case abandon
    }

    private enum State {
        /// The server processes the request. The only possible next state is `stopping`.
        case running
        /// The client asked the server to stop. The server must respond until this instant.
        case stopping(StopReason, until: Instant)
    }

    /// The time that the server has to react after the client asked it to stop.
    static let gracePeriod = Duration.seconds(5)

    let number: UInt64
    private let startedAt: Instant
    /// The time limit of the request. The server enforces it as `statement_timeout`. The client waits `gracePeriod`
    /// longer and then asks the server to stop, because the server itself may hang.
    private let limit: Duration?
    private let isInterruptible: Bool
    /// Whether the request only stops a transfer that the server is sending.
    private let stopsImmediately: Bool
    /// Whether the end of the request commits. If it does and the connection is lost before the response, the outcome
    /// of the commit is unknown.
    let commits: Bool
    private var state = State.running

    /// Without `limit`, the client waits indefinitely. An exchange that is not interruptible (COMMIT, ROLLBACK)
    /// continues if its task is cancelled.
    init(
        number: UInt64, startedAt: Instant, limit: Duration?, isInterruptible: Bool, commits: Bool,
        stopsImmediately: Bool = false
    ) {
        self.number = number
        self.startedAt = startedAt
        self.limit = limit
        self.isInterruptible = isInterruptible
        self.commits = commits
        self.stopsImmediately = stopsImmediately
    }

    /// The reason why the client asked the server to stop; nil if it did not.
    var stopReason: StopReason? {
        if case .stopping(let reason, _) = state { reason } else { nil }
    }

    /// The end of the grace period; nil if the client did not ask the server to stop.
    var stopDeadline: Instant? {
        if case .stopping(_, let end) = state { end } else { nil }
    }

    /// Returns the next action. The session calls this before each wait.
    mutating func nextAction(at now: Instant, isInterrupted: Bool, isAborted: Bool) -> Action {
        if isAborted { return .abandon }
        switch state {
        case .running:
            if stopsImmediately || (isInterrupted && isInterruptible) { return requestStop(.cancelled, now) }
            guard let limit else { return .wait(until: nil) }
            let end = startedAt + limit + Self.gracePeriod
            return now < end ? .wait(until: end) : requestStop(.timedOut, now)
        case .stopping(_, let end):
            return now < end ? .wait(until: end) : .abandon
        }
    }

    private mutating func requestStop(_ reason: StopReason, _ now: Instant) -> Action {
        state = .stopping(reason, until: now + Self.gracePeriod)
        return .requestStop
    }

    /// Returns the error kind for an error of the server. SQLSTATE 57014 states that the statement was cancelled, but
    /// not by which party. This function distinguishes the client, the time limit and other causes.
    func errorKind(for fault: ServerFault, at now: Instant) -> DatabaseError.Kind {
        guard fault.state == .queryCanceled else { return .server(fault) }
        switch stopReason {
        case .cancelled: return .cancelled
        case .timedOut: return .timeout(.statement)
        case nil:
            if let limit, now - startedAt >= limit { return .timeout(.statement) }
            return .server(fault)
        }
    }
}
