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

    package var description: String {
        code
    }
}

/// The codes that this client, its callers or their tests use. The names are those of appendix A.
extension SQLState {
    package static let warning = SQLState("01000")
    package static let connectionFailure = SQLState("08006")
    package static let featureNotSupported = SQLState("0A000")
    package static let stringDataRightTruncation = SQLState("22001")
    package static let numericValueOutOfRange = SQLState("22003")
    package static let characterNotInRepertoire = SQLState("22021")
    package static let invalidTextRepresentation = SQLState("22P02")
    package static let invalidBinaryRepresentation = SQLState("22P03")
    package static let notNullViolation = SQLState("23502")
    package static let foreignKeyViolation = SQLState("23503")
    package static let uniqueViolation = SQLState("23505")
    package static let checkViolation = SQLState("23514")
    package static let exclusionViolation = SQLState("23P01")
    package static let readOnlySQLTransaction = SQLState("25006")
    package static let inFailedSQLTransaction = SQLState("25P02")
    package static let idleInTransactionTimeout = SQLState("25P03")
    package static let invalidSQLStatementName = SQLState("26000")
    package static let serializationFailure = SQLState("40001")
    package static let deadlockDetected = SQLState("40P01")
    package static let insufficientPrivilege = SQLState("42501")
    package static let syntaxError = SQLState("42601")
    package static let undefinedColumn = SQLState("42703")
    package static let undefinedTable = SQLState("42P01")
    package static let duplicateTable = SQLState("42P07")
    package static let diskFull = SQLState("53100")
    package static let outOfMemory = SQLState("53200")
    package static let tooManyConnections = SQLState("53300")
    package static let objectInUse = SQLState("55006")
    package static let lockNotAvailable = SQLState("55P03")
    package static let queryCanceled = SQLState("57014")
    package static let adminShutdown = SQLState("57P01")
    package static let crashShutdown = SQLState("57P02")
    package static let cannotConnectNow = SQLState("57P03")
    package static let idleSessionTimeout = SQLState("57P05")
    package static let raisedException = SQLState("P0001")
}

/// Allows `catch SQLState.…` if the type of the error is unknown.
package func ~= (pattern: SQLState, error: any Error) -> Bool {
    (error as? DatabaseError)?.sqlState == pattern
}

/// Allows `catch SQLState.…` if the error is a `DatabaseError`.
package func ~= (pattern: SQLState, error: DatabaseError) -> Bool {
    error.sqlState == pattern
}
