import Postgres

extension Problem {
    /// Constraints whose violation is the sender's doing, by name. A violation of any other is a fault of ours.
    private static let constraints: [String: ProblemType] = ["account_email_taken": .emailTaken]

    /// What a client is told of a fault of the database: whether it will pass, never what it was.
    package init(_ error: DatabaseError) {
        switch error.kind {
        case .connection, .durabilityUnknown, .closed, .timeout(.statement):
            self.init(.databaseUnavailable, "Nothing was acknowledged.", retryAfter: 2)
        case .timeout(.acquire), .cancelled:
            self.init(.busy, "Nothing was acknowledged.", retryAfter: 1)
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
        case .diskFull: self.init(.storageFull, "Nothing was stored.", retryAfter: 60)
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .queryCanceled, .tooManyConnections,
            .readOnlySQLTransaction, .idleSessionTimeout, .idleInTransactionTimeout:
            self.init(.databaseUnavailable, "Nothing was acknowledged.", retryAfter: 2)
        case .serializationFailure, .deadlockDetected, .lockNotAvailable, .outOfMemory:
            self.init(.busy, "Nothing was acknowledged.", retryAfter: 1)
        case let state where state.classCode == "08":
            self.init(.databaseUnavailable, "Nothing was acknowledged.", retryAfter: 2)
        default: self.init(.internalError)
        }
    }
}
