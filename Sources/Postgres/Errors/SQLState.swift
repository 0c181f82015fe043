/// The SQLSTATE code: five characters that classify an error or a warning. See appendix A of the PostgreSQL manual.
///
/// Usable as a pattern: `catch SQLState.uniqueViolation { … }`.
package struct SQLState: Sendable, Hashable, CustomStringConvertible {
    /// Five letters and digits.
    package let code: String

    /// Creates the value from the code that the server sent.
    package init(_ code: String) {
        self.code = code
    }

    /// The first two characters, which name the class. For example, "23" is integrity constraint violation.
    package var classCode: String {
        String(code.prefix(2))
    }

    /// The five characters.
    package var description: String {
        code
    }
}

/// The codes that this client, its callers or their tests use. The names are those of appendix A.
extension SQLState {
    /// A warning, not an error.
    package static let warning = SQLState("01000")
    /// The connection is broken.
    package static let connectionFailure = SQLState("08006")
    /// The server does not support the feature.
    package static let featureNotSupported = SQLState("0A000")
    /// A number does not fit its type.
    package static let numericValueOutOfRange = SQLState("22003")
    /// A text is not valid in the encoding of the database.
    package static let characterNotInRepertoire = SQLState("22021")
    /// A text is not a value of the requested type.
    package static let invalidTextRepresentation = SQLState("22P02")
    /// A required column is NULL.
    package static let notNullViolation = SQLState("23502")
    /// A referenced row does not exist, or a row is still referenced.
    package static let foreignKeyViolation = SQLState("23503")
    /// A row with the same unique key exists.
    package static let uniqueViolation = SQLState("23505")
    /// A statement writes in a read-only transaction, for example on a standby.
    package static let readOnlySQLTransaction = SQLState("25006")
    /// An earlier statement of the transaction has failed.
    package static let inFailedSQLTransaction = SQLState("25P02")
    /// The transaction was idle for too long. The server ended the connection.
    package static let idleInTransactionTimeout = SQLState("25P03")
    /// The session has no prepared statement of this name.
    package static let invalidSQLStatementName = SQLState("26000")
    /// Concurrent transactions conflict. A retry can succeed.
    package static let serializationFailure = SQLState("40001")
    /// Transactions wait for each other. A retry can succeed.
    package static let deadlockDetected = SQLState("40P01")
    /// The role may not do this.
    package static let insufficientPrivilege = SQLState("42501")
    /// The SQL text is not valid.
    package static let syntaxError = SQLState("42601")
    /// A named column does not exist.
    package static let undefinedColumn = SQLState("42703")
    /// A named table does not exist.
    package static let undefinedTable = SQLState("42P01")
    /// The disk of the server is full.
    package static let diskFull = SQLState("53100")
    /// The server has no memory left.
    package static let outOfMemory = SQLState("53200")
    /// The server accepts no further connections.
    package static let tooManyConnections = SQLState("53300")
    /// A lock was not available at once or within its timeout.
    package static let lockNotAvailable = SQLState("55P03")
    /// The statement was cancelled, or exceeded its time limit.
    package static let queryCanceled = SQLState("57014")
    /// An administrator ended the connection or the server.
    package static let adminShutdown = SQLState("57P01")
    /// Another process of the server crashed.
    package static let crashShutdown = SQLState("57P02")
    /// The server is starting, stopping or recovering.
    package static let cannotConnectNow = SQLState("57P03")
    /// The session was idle for too long. The server ended the connection.
    package static let idleSessionTimeout = SQLState("57P05")
}

/// Allows `catch SQLState.…` if the type of the error is unknown.
package func ~= (pattern: SQLState, error: any Error) -> Bool {
    (error as? DatabaseError)?.sqlState == pattern
}

/// Allows `catch SQLState.…` if the error is a `DatabaseError`.
package func ~= (pattern: SQLState, error: DatabaseError) -> Bool {
    error.sqlState == pattern
}
