import CLibPQ

/// One session with the server over libpq, used from the connection's own thread only, on which it may block
/// in `poll`.
///
/// It knows requests and answers. Who may ask what, and when, is `ConnectionMachine`'s business; how long to
/// wait is `Exchange`'s.
@safe
final class Session {
    let handle: OpaquePointer
    let inbox = NoticeInbox()
    let thread: ConnectionThread
    var prepared = PreparedStatements()
    var mailbox: NotificationMailbox?
    /// The request under way, or the last one.
    var exchange = Exchange(number: 0, startedAt: .now, limit: nil, isInterruptible: false, commits: false)
    private var errand: CancelErrand?
    /// A row that did not fit the last piece of a COPY, and whether there are no more.
    var carriedRow: CopyRow?
    var copyOutHasEnded = false
    /// Why the session is of no more use; nil while it is.
    private(set) var lossReason: String?

    private init(handle: OpaquePointer, thread: ConnectionThread) {
        unsafe self.handle = unsafe handle
        self.thread = thread
        unsafe inbox.attach(to: handle)
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// Connects, blocking the thread. libpq tries the hosts of a list in turn, and its `connect_timeout`
    /// holds for each address: only its own blocking function can go on to the next host when time is up for
    /// one.
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

    /// Where the session stands with transactions, as the server last said.
    var transactionStatus: TransactionStatus {
        switch unsafe PQtransactionStatus(handle) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// The server follows another, or was told to take no writes. It says so whenever that changes.
    var takesNoWrites: Bool {
        ["in_hot_standby", "default_transaction_read_only"].contains { name in
            let value = unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
            return value == "on"
        }
    }

    /// Which of the hosts this is, with its port.
    var server: String {
        let host = unsafe PQhost(handle).map { unsafe String(cString: $0) }
        let port = unsafe PQport(handle).map { unsafe String(cString: $0) }
        return "\(host ?? "") \(port ?? "")"
    }

    /// The socket to watch while idle.
    var socket: Int32 {
        unsafe PQsocket(handle)
    }

    /// Begins a request: nothing has been sent before this returns, so what it throws is safe to try
    /// elsewhere.
    func begin(_ exchange: Exchange) throws(DatabaseError) {
        assert(thread.isCurrent, "libpq is called on the connection's own thread only")
        if let lossReason {
            throw DatabaseError(.connection(reason: lossReason, commitUnknown: false))
        }
        guard unsafe PQconsumeInput(handle) == 1 else { throw lose(commitUnknown: false) }
        errand = nil
        self.exchange = exchange
    }

    /// Checks what a `PQsend…` function returned.
    func requireSent(_ status: Int32) throws(DatabaseError) {
        guard status == 1 else { throw lose() }
    }

    /// The next answer to the request, nil at the end of a command's answers.
    func nextAnswer() throws(DatabaseError) -> Answer? {
        while unsafe PQisBusy(handle) == 1 {
            try waitForServer()
        }
        return unsafe PQgetResult(handle).map { unsafe Answer(owning: $0) }
    }

    /// Sends what is still to be sent, reading what comes meanwhile so that the two sides never wait for each
    /// other.
    func flush() throws(DatabaseError) {
        while true {
            let flushed = unsafe PQflush(handle)
            guard flushed >= 0 else { throw lose() }
            if flushed == 0 { return }
            try waitForServer(orUntilSent: true)
        }
    }

    /// Waits until there is something to read, sending what is still to be sent meanwhile.
    func waitForServer(orUntilSent: Bool = false) throws(DatabaseError) {
        while true {
            switch exchange.next(
                at: .now, isInterrupted: thread.isInterrupted(exchange: exchange.number),
                isAborted: thread.wasAborted)
            {
            case .wait(let end):
                let flushed = unsafe PQflush(handle)
                guard flushed >= 0 else { throw lose() }
                if orUntilSent, flushed == 0 { return }
                let seen = SocketPoll.wait(
                    socket: socket, for: flushed == 0 ? .reading : .readingOrWriting, pipe: thread.pipe,
                    milliseconds: Self.milliseconds(until: end))
                guard seen.isReady else { continue }
                guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
                return
            case .requestStop:
                let thread = thread
                errand = unsafe CancelErrand.start(for: handle) { thread.pipe.wake() }
            case .abandon:
                throw lose(
                    because: thread.wasAborted
                        ? "the connection was closed" : "the server did not react in time")
            }
        }
    }

    /// Ends a request. Where the server was asked to stop, that must have been delivered before the next
    /// statement is sent, or it would hit that one.
    func finish() {
        guard let errand, let end = exchange.graceEnd, isUsable else { return }
        while !errand.hasEnded {
            guard ContinuousClock.now < end else {
                _ = lose(because: "a request to cancel was not delivered in time")
                return
            }
            _ = SocketPoll.wait(
                socket: nil, for: .reading, pipe: thread.pipe, milliseconds: Self.milliseconds(until: end))
        }
    }

    /// Gives the session up and says why. What the server had to say, if anything, is read first.
    func lose(because reason: String? = nil, commitUnknown: Bool? = nil) -> DatabaseError {
        if lossReason == nil {
            let complaint = clientMessage
            lossReason = reason ?? lastWords() ?? inbox.fatalMessage ?? complaint
        }
        return DatabaseError(
            .connection(reason: lossReason ?? "lost", commitUnknown: commitUnknown ?? exchange.commits))
    }

    /// The server's own reason in answers that were still unread when the connection broke.
    private func lastWords() -> String? {
        guard unsafe PQstatus(handle) == CONNECTION_BAD else { return nil }
        var words: String?
        // Without a connection this does not wait. Commands' answers are divided by nil, so nil is not yet
        // the end.
        for _ in 0..<20 {
            let answer = unsafe PQgetResult(handle).map { unsafe Answer(owning: $0) }
            if let fault = answer?.fault, fault.isFatal { words = fault.description }
        }
        return words
    }

    private var clientMessage: String {
        let message = unsafe PQerrorMessage(handle).map { unsafe ClientMessage.text($0) } ?? ""
        return message.isEmpty ? "lost" : message
    }

    /// For `poll`, rounded up so that it never returns just before the end; nil waits for ever.
    private static func milliseconds(until end: Exchange.Instant?) -> Int32? {
        guard let end else { return nil }
        let rest = ContinuousClock.now.duration(to: end) / Duration.milliseconds(1)
        return Int32(max(0, min(rest.rounded(.up), 1e9)))
    }
}
