extension Connection {
    /// Runs the block in a transaction, which is committed when it returns and rolled back when it throws.
    /// The block's error is what is thrown; when even the rollback fails, the connection is dropped, which
    /// undoes everything too.
    ///
    /// When the connection breaks during the commit, the error says `commitUnknown`. A task that is cancelled
    /// before the commit is sent gets `.cancelled` and nothing is kept; once sent, a commit is waited for.
    @discardableResult
    package nonisolated(nonsending) func transaction<Value>(
        isolation: Isolation = .readCommitted, readOnly: Bool = false,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let level = try await begin(by: nil, isolation: isolation, readOnly: readOnly)
        return try await complete(level, body)
    }

    /// Opens a level. When this throws, nothing has been done.
    func begin(
        by level: ConnectionMachine.Level?, isolation: Isolation, readOnly: Bool
    ) async throws(DatabaseError) -> ConnectionMachine.Level {
        let sql =
            switch try machine.begin(by: level) {
            case .transaction:
                "BEGIN ISOLATION LEVEL \(isolation.rawValue) \(readOnly ? "READ ONLY" : "READ WRITE")"
            case .savepoint(let name): "SAVEPOINT \(name)\(readOnly ? "; SET TRANSACTION READ ONLY" : "")"
            }
        // An interrupted BEGIN would leave open whether there is a transaction, and it takes no time.
        if Task.isCancelled { throw DatabaseError(.cancelled, statement: "begin") }
        _ = try await exchange(name: "begin", isInterruptible: false, commits: false) {
            session throws(DatabaseError) in
            try session.command(sql)
        }
        defer { settle() }
        return machine.began()
    }

    /// Runs the block in an open level and ends the level.
    nonisolated(nonsending) func complete<Value>(
        _ level: ConnectionMachine.Level, _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let value: Value
        do {
            value = try await body(Transaction(connection: self, level: level))
        } catch {
            await rollBack(level)
            throw error
        }
        try await commit(level)
        return value
    }

    func commit(_ level: ConnectionMachine.Level) async throws(DatabaseError) {
        try await end(level, succeeded: true)
    }

    /// What made the caller roll back matters more than a failure to do so, after which the connection is
    /// dropped.
    func rollBack(_ level: ConnectionMachine.Level) async {
        try? await end(level, succeeded: false)
    }

    private func end(_ level: ConnectionMachine.Level, succeeded: Bool) async throws(DatabaseError) {
        guard let session else {
            machine.ended(level)
            throw DatabaseError(
                .connection(reason: "lost before the end of the transaction", commitUnknown: false))
        }
        let isCancelled = succeeded && Task.isCancelled
        let ending = machine.end(
            level, succeeded: succeeded && !isCancelled, status: session.transactionStatus)
        do {
            try await perform(ending.end)
        } catch {
            machine.ended(level)
            settle()
            throw error
        }
        machine.ended(level)
        settle()
        if let fault = ending.fault { throw DatabaseError(fault) }
        if isCancelled { throw DatabaseError(.cancelled) }
    }

    private func perform(_ end: ConnectionMachine.End) async throws(DatabaseError) {
        switch end {
        case .commit:
            let tag = try await endCommand("COMMIT", commits: true)
            // The server rolls a failed transaction back in answer to COMMIT, and calls that a success.
            guard tag == "COMMIT" else {
                throw DatabaseError(.server(ServerFault(state: .inFailedSQLTransaction)))
            }
        case .release(let name): try await undoing("RELEASE SAVEPOINT \(name)")
        case .rollback: try await undoing("ROLLBACK")
        case .rollbackTo(let name):
            try await undoing("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
        case .drop: drop(because: "its transaction is out of step")
        }
    }

    /// A rollback that fails leaves the session in no known state, so it is dropped.
    private func undoing(_ sql: String) async throws(DatabaseError) {
        do {
            _ = try await endCommand(sql, commits: false)
        } catch {
            drop(because: "a rollback failed")
            throw error
        }
    }

    private func endCommand(_ sql: String, commits: Bool) async throws(DatabaseError) -> String {
        try await exchange(
            name: commits ? "commit" : "end", isInterruptible: false, commits: commits
        ) { session throws(DatabaseError) in
            try session.command(sql)
        }
    }

    /// Gives the session up.
    func drop(because reason: String) {
        _ = session?.lose(because: reason)
        settle()
    }
}
