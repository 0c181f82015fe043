import CLibPQ

/// One session with the server over libpq. Only the thread of the connection may use it. It may block this thread in
/// `poll`.
///
/// The session sends requests and receives results. `ConnectionMachine` decides who may send a request and when.
/// `Exchange` decides how long to wait.
@safe
final class Session {
    let handle: OpaquePointer
    let noticeReceiver = NoticeReceiver()
    let thread: ConnectionThread
    var prepared = PreparedStatements()
    /// The running request, or the last one.
    var exchange = Exchange(number: 0, startedAt: .now, limit: nil, isInterruptible: false, commits: false)
    private var cancellationRequest: CancellationRequest?
    /// A row that did not fit into the last piece of a COPY. It begins the next piece.
    var pendingRow: CopyRow?
    /// Whether the server has sent the last row of a COPY.
    var copyOutHasEnded = false
    /// The reason why the session is no longer usable; nil while it is usable.
    private(set) var lossReason: String?

    private init(handle: OpaquePointer, thread: ConnectionThread) {
        unsafe self.handle = unsafe handle
        self.thread = thread
        unsafe noticeReceiver.attach(to: handle)
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// Connects, and blocks the thread until then. libpq tries the hosts of a list in order. Its `connect_timeout`
    /// applies to each address. Only the blocking function of libpq can continue with the next host after a timeout.
    static func open(_ settings: [ConnectionString.Setting], thread: ConnectionThread) throws(DatabaseError)
        -> Session
    {
        let handle = unsafe CStrings.withPointers(settings.map(\.keyword)) { keywords in
            unsafe CStrings.withPointers(settings.map(\.value)) { values in
                unsafe PQconnectdbParams(keywords, values, 0)
            }
        }
        guard let handle = unsafe handle else {
            throw DatabaseError(.connection(reason: "out of memory", commitUnknown: false))
        }
        let session = unsafe Session(handle: handle, thread: thread)
        guard unsafe PQstatus(handle) == CONNECTION_OK, unsafe PQsetnonblocking(handle, 1) == 0 else {
            throw DatabaseError(.connection(reason: session.clientMessage, commitUnknown: false))
        }
        return session
    }

    var isUsable: Bool {
        lossReason == nil
    }

    /// Reads a message that the server sent without a request. Detects the end of the session.
    func readUnsolicited() {
        guard isUsable else { return }
        if unsafe PQconsumeInput(handle) != 1 {
            _ = markLost(commitUnknown: false)
        }
    }

    /// The transaction status that the server reported last.
    var transactionStatus: TransactionStatus {
        switch unsafe PQtransactionStatus(handle) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// Whether the server is a standby or has `default_transaction_read_only` set. The server reports each change.
    var isReadOnly: Bool {
        ["in_hot_standby", "default_transaction_read_only"].contains { name in
            let value = unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
            return value == "on"
        }
    }

    /// Host and port of the server.
    var server: String {
        let host = unsafe PQhost(handle).map { unsafe String(cString: $0) }
        let port = unsafe PQport(handle).map { unsafe String(cString: $0) }
        return "\(host ?? "") \(port ?? "")"
    }

    /// The socket to watch while idle.
    var socket: Int32 {
        unsafe PQsocket(handle)
    }

    /// Begins a request. If it throws, nothing was sent, and the caller can retry on another connection.
    func begin(_ exchange: Exchange) throws(DatabaseError) {
        assert(thread.isCurrent, "libpq may be called only on the thread of the connection")
        if let lossReason {
            throw DatabaseError(.connection(reason: lossReason, commitUnknown: false))
        }
        guard unsafe PQconsumeInput(handle) == 1 else { throw markLost(commitUnknown: false) }
        cancellationRequest = nil
        self.exchange = exchange
    }

    /// Throws unless a `PQsend…` function returned success.
    func requireSent(_ status: Int32) throws(DatabaseError) {
        guard status == 1 else { throw markLost() }
    }

    /// Returns the next result of the request, or nil after the last result of a command.
    func nextResult() throws(DatabaseError) -> ServerResult? {
        while unsafe PQisBusy(handle) == 1 {
            try waitForServer()
        }
        return unsafe PQgetResult(handle).map { unsafe ServerResult(owning: $0) }
    }

    /// Sends the data that is still in the send buffer. Also reads incoming data, to avoid a deadlock with the server.
    func flush() throws(DatabaseError) {
        while true {
            let flushed = unsafe PQflush(handle)
            guard flushed >= 0 else { throw markLost() }
            if flushed == 0 { return }
            try waitForServer(orUntilSent: true)
        }
    }

    /// Waits until there is something to read. Meanwhile sends the data that is still in the send buffer.
    func waitForServer(orUntilSent: Bool = false) throws(DatabaseError) {
        while true {
            switch exchange.nextAction(
                at: .now, isInterrupted: thread.isInterrupted(exchange: exchange.number),
                isAborted: thread.wasAborted)
            {
            case .wait(let end):
                let flushed = unsafe PQflush(handle)
                guard flushed >= 0 else { throw markLost() }
                if orUntilSent, flushed == 0 { return }
                let result = SocketPoll.wait(
                    socket: socket, for: flushed == 0 ? .reading : .readingOrWriting, pipe: thread.pipe,
                    milliseconds: Self.milliseconds(until: end))
                guard result.isReady else { continue }
                guard unsafe PQconsumeInput(handle) == 1 else { throw markLost() }
                return
            case .requestStop:
                let thread = thread
                cancellationRequest = unsafe CancellationRequest.start(for: handle) { thread.pipe.wake() }
            case .abandon:
                throw markLost(
                    because: thread.wasAborted
                        ? "the connection was closed" : "the server did not react in time")
            }
        }
    }

    /// Ends a request. If the server was asked to stop, waits until the cancellation request is delivered. Otherwise it
    /// could cancel the next statement.
    func finish() {
        guard let cancellationRequest, let end = exchange.stopDeadline, isUsable else { return }
        while !cancellationRequest.isFinished {
            guard ContinuousClock.now < end else {
                _ = markLost(because: "the cancellation request was not delivered in time")
                return
            }
            _ = SocketPoll.wait(
                socket: nil, for: .reading, pipe: thread.pipe, milliseconds: Self.milliseconds(until: end))
        }
    }

    /// Marks the session as lost, and returns the error. Without `reason`, the reason is the fatal message of the
    /// server, which may still be unread, or else the message of libpq.
    func markLost(because reason: String? = nil, commitUnknown: Bool? = nil) -> DatabaseError {
        if lossReason == nil {
            let libpqMessage = clientMessage
            lossReason = reason ?? unreadFatalMessage() ?? noticeReceiver.fatalMessage ?? libpqMessage
        }
        return DatabaseError(
            .connection(reason: lossReason ?? "lost", commitUnknown: commitUnknown ?? exchange.commits))
    }

    /// The fatal error of the server among the results that were unread when the connection was lost.
    private func unreadFatalMessage() -> String? {
        guard unsafe PQstatus(handle) == CONNECTION_BAD else { return nil }
        var message: String?
        // This does not wait, because there is no connection. A nil separates the results of two commands, so it is not
        // always the end.
        for _ in 0..<20 {
            let result = unsafe PQgetResult(handle).map { unsafe ServerResult(owning: $0) }
            if let fault = result?.fault, fault.isFatal { message = fault.description }
        }
        return message
    }

    private var clientMessage: String {
        let message = unsafe PQerrorMessage(handle).map { unsafe ClientMessage.text($0) } ?? ""
        return message.isEmpty ? "lost" : message
    }

    /// The timeout for `poll`, rounded up so that `poll` does not return just before `end`. nil means no limit.
    private static func milliseconds(until end: Exchange.Instant?) -> Int32? {
        guard let end else { return nil }
        let remaining = ContinuousClock.now.duration(to: end) / Duration.milliseconds(1)
        return Int32(max(0, min(remaining.rounded(.up), 1e9)))
    }
}
