import CLibPQ

/// One session with the server over libpq. Only the thread of the connection may use it. A request blocks this thread
/// in `poll`.
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

    /// Connects. Blocks the thread until the attempt has succeeded or failed. libpq tries the hosts of a list in order.
    /// Its `connect_timeout` applies to each address. Only the blocking function of libpq can continue with the next
    /// host after a timeout.
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

    /// Waits until there is something to read. Meanwhile sends the data that is still in the send buffer. With
    /// `orUntilSent`, also returns when the send buffer is empty.
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
                let isReady = SocketPoll.wait(
                    socket: socket, for: flushed == 0 ? .reading : .readingOrWriting, pipe: thread.pipe,
                    milliseconds: Self.milliseconds(until: end))
                guard isReady else { continue }
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

/// Runs statements and scripts, and turns their results into rows and errors.
extension Session {
    /// Runs a prepared statement. The first call prepares it in the same round trip.
    func query(_ call: Call) throws(DatabaseError) -> Rows {
        guard let known = prepared[call.key] else { return try pipeline([call])[0] }
        try send(call, as: known.name)
        do throws(DatabaseError) {
            guard let result = try collect().last else {
                throw markLost(because: "no result for a statement")
            }
            return rows(result, for: call)
        } catch {
            guard removeIfInvalid(call, after: error), transactionStatus == .idle else { throw error }
            // The server did not run the statement, and there is no open transaction that failed. A retry is safe.
            return try pipeline([call])[0]
        }
    }

    /// Runs a fixed command without parameters (BEGIN, COMMIT). Returns its command tag.
    func command(_ sql: String) throws(DatabaseError) -> String {
        try requireSent(unsafe PQsendQuery(handle, sql))
        return try collect().last?.commandTag ?? ""
    }

    /// Runs the statements of a script. They run in one transaction unless the script contains transaction commands.
    func execute(script: String) throws(DatabaseError) {
        try CStrings.check(script, "the script")
        try requireSent(unsafe PQsendQuery(handle, script))
        _ = try collect()
    }

    func send(_ call: Call, as name: String?) throws(DatabaseError) {
        let status = unsafe call.block.withPointers { count, values, lengths, formats in
            guard let name else {
                let types = call.key.types.map(\.rawValue)
                return unsafe PQsendQueryParams(
                    handle, call.key.sql, count, types, values, lengths, formats, 1)
            }
            return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        try requireSent(status)
    }

    /// Returns all results of a request outside pipeline mode. Reads all results even after an error, so that the next
    /// request starts in the correct state. Only a lost session ends the reading early.
    func collect() throws(DatabaseError) -> [ServerResult] {
        var results: [ServerResult] = []
        var errorResult: ServerResult?
        while let result = try nextResult() {
            switch result.outcome {
            case .error:
                errorResult = errorResult ?? result
                if endsSession(result) { throw makeError(for: result) }
            case .copyIn, .copyOut: throw unexpectedCopy()
            default: results.append(result)
            }
        }
        if let errorResult { throw makeError(for: errorResult) }
        try requireConfirmedCommit()
        return results
    }

    /// Whether the server sends no further results after this error.
    func endsSession(_ errorResult: ServerResult) -> Bool {
        unsafe PQstatus(handle) == CONNECTION_BAD || errorResult.fault?.isFatal == true
    }

    /// Returns the error for the caller. The session ends in two cases:
    ///
    /// 1. the error is fatal,
    /// 2. the error shows that this server is no longer the primary. A new connection finds the new primary.
    func makeError(for errorResult: ServerResult) -> DatabaseError {
        guard let fault = errorResult.fault else { return markLost(because: errorResult.clientMessage) }
        if fault.isFatal { return markLost(because: fault.description) }
        if isReadOnly, fault.isWriteRejection {
            return markLost(because: "the server is read-only: \(fault.description)", commitUnknown: false)
        }
        return DatabaseError(exchange.errorKind(for: fault, at: .now))
    }

    /// Throws if the standby did not confirm the commit, although the server reported success.
    func requireConfirmedCommit() throws(DatabaseError) {
        if noticeReceiver.takeUnconfirmedCommit() { throw DatabaseError(.durabilityUnknown) }
    }

    func rows(_ result: ServerResult, for call: Call) -> Rows {
        let known = prepared[call.key]
        let layout = known?.layout ?? result.layout
        if known != nil, known?.layout == nil { prepared.setLayout(layout, for: call.key) }
        return Rows(result: result, layout: layout, statement: call.name)
    }

    /// Removes the prepared statement if the error shows that it is no longer valid. Returns whether it did. In that
    /// case the server has not run the statement.
    @discardableResult
    func removeIfInvalid(_ call: Call, after error: DatabaseError) -> Bool {
        guard let fault = error.serverFault, fault.isStalePlan || fault.state == .invalidSQLStatementName
        else {
            return false
        }
        prepared.remove(call.key)
        return true
    }

    /// The error for a COPY that was sent to `query`, `pipeline` or `execute`. Drops the session, because ending the
    /// COPY would need more requests.
    func unexpectedCopy() -> DatabaseError {
        _ = markLost(because: "a COPY was sent as a query")
        return DatabaseError(.misuse("use copyIn or copyOut for COPY"))
    }
}
