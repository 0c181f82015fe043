/// Why something asked of the database did not happen.
///
/// Never carries a parameter's value; what the server itself quotes is kept out of `description`.
package struct DatabaseError: Error, Sendable {
    /// What went wrong, by who has to act on it.
    package enum Kind: Sendable, Hashable {
        /// There is no connection, or it broke. `commitUnknown`: it broke after work that commits had been
        /// sent and before the answer came, so the work may or may not be in the database.
        case connection(reason: String, commitUnknown: Bool)
        /// The server refused the statement.
        case server(ServerFault)
        /// The statement worked but touched another number of rows than the caller stated.
        case rowCount(expected: String, got: Int)
        /// A value of the result is not of the Swift type asked for. Rows count from 0.
        case decode(row: Int, column: String, reason: String)
        /// It took too long.
        case timeout(Wait)
        /// The Swift task was cancelled.
        case cancelled
        /// The commit is in the primary's log but was not confirmed by the synchronous standby.
        case durabilityUnknown
        /// A parameter or text cannot be sent, for instance a string with U+0000. `parameter` counts from 1
        /// as in `$1`.
        case encoding(parameter: Int?, reason: String)
        /// The caller broke a rule of this client, for instance used a transaction after its end.
        case misuse(String)
        /// The pool is closed or closing.
        case closed
    }

    /// What was waited for when time ran out.
    package enum Wait: String, Sendable, Hashable {
        /// For a free connection of the pool.
        case acquire
        /// For the server to run the statement.
        case statement
    }

    /// What went wrong.
    package let kind: Kind
    /// The name of the statement at fault, where there is one.
    package let statement: String?

    /// `statement` is a statement's name, never its text or its values.
    package init(_ kind: Kind, statement: String? = nil) {
        self.kind = kind
        self.statement = statement
    }

    /// The same fault, laid to a statement unless it already names one.
    package func naming(_ statement: String?) -> DatabaseError {
        DatabaseError(kind, statement: self.statement ?? statement)
    }
}

extension DatabaseError {
    /// What the server said, if it said anything.
    package var serverFault: ServerFault? {
        if case .server(let fault) = kind { fault } else { nil }
    }

    /// The server's code, if the server refused.
    package var sqlState: SQLState? {
        serverFault?.state
    }

    /// The name of the constraint that was violated.
    package var constraint: String? {
        serverFault?.constraint
    }

    /// The work may or may not be in the database: run it again only if it is idempotent.
    package var isCommitUnknown: Bool {
        switch kind {
        case .connection(_, let commitUnknown): commitUnknown
        case .durabilityUnknown: true
        default: false
        }
    }

    /// The fault is expected to pass and the work surely left no trace: worth doing again as a whole.
    package var isTransient: Bool {
        switch kind {
        case .connection(_, let commitUnknown): !commitUnknown
        case .timeout(.acquire): true
        case .server(let fault):
            fault.isStalePlan || Self.transientStates.contains(fault.state) || fault.state.classCode == "08"
        default: false
        }
    }

    private static let transientStates: Set<SQLState> = [
        .serializationFailure, .deadlockDetected, .lockNotAvailable, .tooManyConnections, .adminShutdown,
        .crashShutdown, .cannotConnectNow,
    ]

    /// A short constant word for metrics and logs.
    package var className: String {
        switch kind {
        case .connection: "connection"
        case .server(let fault): "server_\(fault.state.classCode)"
        case .rowCount: "row_count"
        case .decode: "decode"
        case .timeout(let wait): "timeout_\(wait.rawValue)"
        case .cancelled: "cancelled"
        case .durabilityUnknown: "durability_unknown"
        case .encoding: "encoding"
        case .misuse: "misuse"
        case .closed: "closed"
        }
    }
}

extension DatabaseError: CustomStringConvertible {
    /// One line, safe for logs.
    package var description: String {
        let place = statement.map { " (statement \($0))" } ?? ""
        return sentence + place
    }

    private var sentence: String {
        switch kind {
        case .connection(let reason, let commitUnknown):
            "no database connection: \(reason)"
                + (commitUnknown ? "; whether the work was committed is unknown" : "")
        case .server(let fault): fault.description
        case .rowCount(let expected, let got): "expected \(expected), got \(got) rows"
        case .decode(let row, let column, let reason): "row \(row), column \(column): \(reason)"
        case .timeout(.acquire): "no database connection became free in time"
        case .timeout(.statement): "the statement took too long"
        case .cancelled: "cancelled"
        case .durabilityUnknown: "committed, but not confirmed by the synchronous standby"
        case .encoding(let parameter, let reason): (parameter.map { "parameter $\($0): " } ?? "") + reason
        case .misuse(let rule): "misuse of the database client: \(rule)"
        case .closed: "the connection pool is closed"
        }
    }
}
