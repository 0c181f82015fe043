/// The state machine of a connection. It decides who may send a request, and which command ends a transaction. It uses
/// no socket; `Connection` performs its decisions.
///
/// Transactions are levels: the first level is a transaction, and each further level is a savepoint in it. Only the
/// innermost level may send requests. The machine therefore rejects two mistakes, which could otherwise change the
/// wrong transaction:
///
/// 1. use of a handle after its block has ended,
/// 2. a query on the connection itself while a transaction is open on it.
struct ConnectionMachine {
    /// The handle of a level. A connection never uses a handle twice.
    typealias Level = UInt64

    /// The command that begins a level.
    enum BeginAction: Hashable {
        case transaction
        case savepoint(String)

        func sql(_ isolation: Isolation, readOnly: Bool) -> String {
            switch self {
            case .transaction:
                "BEGIN ISOLATION LEVEL \(isolation.rawValue) \(readOnly ? "READ ONLY" : "READ WRITE")"
            case .savepoint(let name): "SAVEPOINT \(name)\(readOnly ? "; SET TRANSACTION READ ONLY" : "")"
            }
        }
    }

    /// The command that ends a level.
    enum EndAction: Hashable {
        case commit
        case rollback
        case release(String)
        case rollbackTo(String)
        /// Drop the connection: the server and the client disagree about the transaction, and no statement can
        /// repair that.
        case drop
    }

    /// How a level ends. `fault` is the reason if the block succeeded but the level cannot be committed.
    struct EndDecision: Hashable {
        let action: EndAction
        let fault: DatabaseError.Kind?
    }

    /// Whether the connection is inside an outer transaction that a test rolls back. If it is, the first level is a
    /// savepoint too.
    let hasOuterTransaction: Bool
    private var levels: [Level] = []
    private var serial: Level = 0
    private(set) var isCopying = false
    private(set) var isClosed = false

    init(hasOuterTransaction: Bool = false) {
        self.hasOuterTransaction = hasOuterTransaction
    }

    /// Whether the connection is open and has no open level and no COPY in progress.
    var isIdle: Bool {
        levels.isEmpty && !isCopying && !isClosed
    }

    /// Throws unless the holder of the handle may send a request now. nil means the connection itself.
    func checkRequest(by level: Level?) throws(DatabaseError) {
        if isClosed {
            throw DatabaseError(.connection(reason: "the connection is closed", commitUnknown: false))
        }
        if isCopying { throw DatabaseError(.misuse("a COPY is in progress on this connection")) }
        if levels.last == level { return }
        switch level {
        case nil: throw DatabaseError(.misuse("a transaction is open on this connection; use its handle"))
        case let level? where levels.contains(level):
            throw DatabaseError(.misuse("a savepoint is open in this transaction; use its handle"))
        default: throw DatabaseError(.misuse("this transaction has ended"))
        }
    }

    /// Returns the command that opens the next level.
    func begin(by level: Level?) throws(DatabaseError) -> BeginAction {
        try checkRequest(by: level)
        return levels.isEmpty && !hasOuterTransaction ? .transaction : .savepoint("level_\(levels.count)")
    }

    /// Records that the server has opened the level. Returns the handle of the level.
    mutating func began() -> Level {
        serial += 1
        levels.append(serial)
        return serial
    }

    /// Decides how a level ends after its block succeeded or failed. `status` is the transaction status that the
    /// server reports.
    func end(_ level: Level, succeeded: Bool, status: TransactionStatus) -> EndDecision {
        guard let depth = levels.firstIndex(of: level), !isCopying else {
            return EndDecision(
                action: .drop, fault: .misuse("a transaction ended while a COPY in it was in progress"))
        }
        guard status == .open || status == .failed else {
            return EndDecision(
                action: .drop, fault: .misuse("the transaction was ended by a statement in it"))
        }
        let savepoint = "level_\(depth)"
        let undo: EndAction = depth == 0 && !hasOuterTransaction ? .rollback : .rollbackTo(savepoint)
        guard succeeded else { return EndDecision(action: undo, fault: nil) }
        guard depth == levels.count - 1 else {
            return EndDecision(
                action: undo, fault: .misuse("a transaction ended while a savepoint in it was open"))
        }
        guard status == .open else {
            return EndDecision(action: undo, fault: .server(Self.failedTransactionFault))
        }
        return EndDecision(
            action: depth == 0 && !hasOuterTransaction ? .commit : .release(savepoint), fault: nil)
    }

    /// Records that the level has ended, and with it all levels inside it.
    mutating func ended(_ level: Level) {
        if let depth = levels.firstIndex(of: level) { levels.removeSubrange(depth...) }
    }

    mutating func copyBegan() {
        isCopying = true
    }

    mutating func copyEnded() {
        isCopying = false
    }

    mutating func closed() {
        isClosed = true
        isCopying = false
    }

    /// PostgreSQL answers the COMMIT of a failed transaction with a ROLLBACK and reports no error. This client reports
    /// that case as an error.
    private static let failedTransactionFault = ServerFault(
        state: .inFailedSQLTransaction,
        message: "a statement in the transaction failed and its error was not rethrown")
}
