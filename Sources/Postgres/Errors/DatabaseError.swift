/// An error of a database operation.
///
/// Never contains the value of a parameter. The server can quote values in its messages; `description` omits those.
package struct DatabaseError: Error, Sendable {
    /// The kind of the error.
    package enum Kind: Sendable, Hashable {
        /// There is no connection, or it is lost. `commitUnknown` means: a request that commits was sent, and the
        /// connection was lost before the response. The work may or may not be in the database.
        case connection(reason: String, commitUnknown: Bool)
        /// The server reported an error for the statement.
        case server(ServerFault)
        /// The statement succeeded, but its number of rows is not the number that the caller expects.
        case rowCount(expected: String, got: Int)
        /// A value of the result cannot be decoded as the requested Swift type. `row` counts from 0.
        case decode(row: Int, column: String, reason: String)
        /// A time limit was reached.
        case timeout(TimeoutKind)
        /// The Swift task was cancelled.
        case cancelled
        /// The commit is in the log of the primary, but the synchronous standby did not confirm it.
        case durabilityUnknown
        /// A parameter or text cannot be sent, for example a string with U+0000. `parameter` counts from 1, as in `$1`.
        case encoding(parameter: Int?, reason: String)
        /// The caller violated a rule of this client, for example by using a transaction after its end.
        case misuse(String)
        /// The pool is closed or closing.
        case closed
    }

    /// The operation that reached its time limit.
    package enum TimeoutKind: String, Sendable, Hashable {
        /// Waiting for a free connection of the pool.
        case acquire
        /// Running a statement.
        case statement
    }

    /// The kind of the error.
    package let kind: Kind
    /// The name of the statement that caused the error, if there is one.
    package let statement: String?

    /// `statement` is the name of a statement, never its text or its values.
    package init(_ kind: Kind, statement: String? = nil) {
        self.kind = kind
        self.statement = statement
    }

    /// Returns the same error with the name of a statement, unless it already has one.
    package func naming(_ statement: String?) -> DatabaseError {
        DatabaseError(kind, statement: self.statement ?? statement)
    }
}

extension DatabaseError {
    /// The error of the server, if the server reported one.
    package var serverFault: ServerFault? {
        if case .server(let fault) = kind { fault } else { nil }
    }

    /// The SQLSTATE code of the server, if the server reported an error.
    package var sqlState: SQLState? {
        serverFault?.state
    }

    /// The name of the violated constraint.
    package var constraint: String? {
        serverFault?.constraint
    }

    /// Whether the outcome of the commit is unknown. The work may or may not be in the database. Retry it only if it is
    /// idempotent.
    package var isCommitUnknown: Bool {
        switch kind {
        case .connection(_, let commitUnknown): commitUnknown
        case .durabilityUnknown: true
        default: false
        }
    }

    /// Whether a retry of the whole work can succeed. The cause is temporary, and the work certainly changed nothing.
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

    /// A short constant name for metrics and logs.
    package var className: String {
        switch kind {
        case .connection: "connection"
        case .server(let fault): "server_\(fault.state.classCode)"
        case .rowCount: "row_count"
        case .decode: "decode"
        case .timeout(let operation): "timeout_\(operation.rawValue)"
        case .cancelled: "cancelled"
        case .durabilityUnknown: "durability_unknown"
        case .encoding: "encoding"
        case .misuse: "misuse"
        case .closed: "closed"
        }
    }
}

extension DatabaseError: CustomStringConvertible {
    /// One line without values, safe for logs.
    package var description: String {
        let suffix = statement.map { " (statement \($0))" } ?? ""
        return message + suffix
    }

    private var message: String {
        switch kind {
        case .connection(let reason, let commitUnknown):
            "no database connection: \(reason)"
                + (commitUnknown ? "; it is unknown whether the work was committed" : "")
        case .server(let fault): fault.description
        case .rowCount(let expected, let got): "expected \(expected), but got \(got) rows"
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
