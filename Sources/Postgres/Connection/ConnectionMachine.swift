/// Who may ask what of a connection, and what ends a transaction. Decided here without a socket; `Connection`
/// performs it.
///
/// Transactions are levels: the first is a transaction, each further one a savepoint in it. Only the
/// innermost level may be used, so a handle that outlived its block, or a query beside a transaction on its
/// connection, is refused instead of landing in a transaction that it was not meant for.
struct ConnectionMachine {
    /// The handle of a level; never used twice on a connection.
    typealias Level = UInt64

    /// How a level begins.
    enum Begin: Hashable {
        case transaction
        case savepoint(String)
    }

    /// How a level ends.
    enum End: Hashable {
        case commit
        case rollback
        case release(String)
        case rollbackTo(String)
        /// The server's and our idea of the transaction differ: no statement can mend that.
        case drop
    }

    /// The end of a level and, where its block believed in success that is none, why.
    struct Ending: Hashable {
        let end: End
        let fault: DatabaseError.Kind?
    }

    /// Whether the connection stands inside a transaction that is not its own, which a test rolls back: then
    /// even the first level is a savepoint.
    let isEnclosed: Bool
    private var levels: [Level] = []
    private var serial: Level = 0
    private(set) var isCopying = false
    private(set) var isClosed = false

    init(isEnclosed: Bool = false) {
        self.isEnclosed = isEnclosed
    }

    /// Nothing is open on the connection.
    var isAtRest: Bool {
        levels.isEmpty && !isCopying && !isClosed
    }

    /// Whether the holder of a handle (nil: of the connection itself) may send something now.
    func checkRequest(by level: Level?) throws(DatabaseError) {
        if isClosed {
            throw DatabaseError(.connection(reason: "the connection is closed", commitUnknown: false))
        }
        if isCopying { throw DatabaseError(.misuse("a COPY is under way on this connection")) }
        if levels.last == level { return }
        switch level {
        case nil: throw DatabaseError(.misuse("a transaction is open on this connection; use its handle"))
        case let level? where levels.contains(level):
            throw DatabaseError(.misuse("a savepoint is open in this transaction; use its handle"))
        default: throw DatabaseError(.misuse("this transaction has ended"))
        }
    }

    /// What opens the next level.
    func begin(by level: Level?) throws(DatabaseError) -> Begin {
        try checkRequest(by: level)
        return levels.isEmpty && !isEnclosed ? .transaction : .savepoint("level_\(levels.count)")
    }

    /// The server has opened it.
    mutating func began() -> Level {
        serial += 1
        levels.append(serial)
        return serial
    }

    /// What ends a level whose block has succeeded or failed, given where the server says the transaction
    /// stands.
    func end(_ level: Level, succeeded: Bool, status: TransactionStatus) -> Ending {
        guard let depth = levels.firstIndex(of: level), !isCopying else {
            return Ending(end: .drop, fault: .misuse("a transaction ended while a COPY in it was under way"))
        }
        guard status == .open || status == .failed else {
            return Ending(end: .drop, fault: .misuse("the transaction was ended by a statement in it"))
        }
        let savepoint = "level_\(depth)"
        let back: End = depth == 0 && !isEnclosed ? .rollback : .rollbackTo(savepoint)
        guard succeeded else { return Ending(end: back, fault: nil) }
        guard depth == levels.count - 1 else {
            return Ending(end: back, fault: .misuse("a transaction ended while a savepoint in it was open"))
        }
        guard status == .open else { return Ending(end: back, fault: .server(Self.failedInside)) }
        return Ending(end: depth == 0 && !isEnclosed ? .commit : .release(savepoint), fault: nil)
    }

    /// The level is over, with all levels in it.
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

    /// PostgreSQL answers COMMIT of a failed transaction with a quiet ROLLBACK; to us that is a fault.
    private static let failedInside = ServerFault(
        state: .inFailedSQLTransaction,
        message: "a statement in the transaction failed and its error was not passed on")
}
