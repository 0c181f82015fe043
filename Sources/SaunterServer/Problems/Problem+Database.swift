import Postgres

extension Problem {
    /// Constraints that a client can violate, by name. A violation of any other constraint is an internal error.
    private static let constraints: [String: ProblemType] = ["account_email_taken": .emailTaken]

    /// The problem for a database error. It says whether a retry helps, and contains no text of the database.
    package init(_ error: DatabaseError) {
        switch error.kind {
        case .connection, .durabilityUnknown, .closed, .timeout(.statement):
            self.init(.databaseUnavailable, "The request is not confirmed.", retryAfter: 2)
        case .timeout(.acquire), .cancelled:
            self.init(.busy, "The request is not confirmed.", retryAfter: 1)
        case .server(let fault): self.init(fault)
        case .rowCount, .decode, .encoding, .misuse:
            self.init(.internalError)
        }
    }

    private init(_ fault: ServerFault) {
        if let type = fault.constraint.flatMap({ Self.constraints[$0] }) {
            self.init(type)
            return
        }
        switch fault.state {
        case .diskFull: self.init(.storageFull, "The request was not stored.", retryAfter: 60)
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .queryCanceled, .tooManyConnections,
            .readOnlySQLTransaction, .idleSessionTimeout, .idleInTransactionTimeout:
            self.init(.databaseUnavailable, "The request is not confirmed.", retryAfter: 2)
        case .serializationFailure, .deadlockDetected, .lockNotAvailable, .outOfMemory:
            self.init(.busy, "The request is not confirmed.", retryAfter: 1)
        case let state where state.classCode == "08":
            self.init(.databaseUnavailable, "The request is not confirmed.", retryAfter: 2)
        default: self.init(.internalError)
        }
    }
}
