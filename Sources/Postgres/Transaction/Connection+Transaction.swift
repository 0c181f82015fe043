extension Connection {
    /// Runs the block in a transaction. Commits when the block returns. Rolls back when the block throws, and rethrows
    /// its error. If the rollback fails too, the connection is dropped, and the server undoes everything.
    ///
    /// If the connection is lost during the commit, the error has `commitUnknown`. If the task is cancelled before the
    /// commit is sent, the transaction is rolled back and the error is `.cancelled`. After the commit is sent, this
    /// function waits for its result even if the task is cancelled.
    @discardableResult
    package nonisolated(nonsending) func transaction<Value>(
        isolation: Isolation = .readCommitted, readOnly: Bool = false,
        _ body: nonisolated(nonsending) (Transaction) async throws -> Value
    ) async throws -> Value {
        let level = try await begin(by: nil, isolation: isolation, readOnly: readOnly)
        return try await runBlock(level, body)
    }

    /// Opens a level. If it throws, nothing was done.
    func begin(
        by level: ConnectionMachine.Level?, isolation: Isolation, readOnly: Bool
    ) async throws(DatabaseError) -> ConnectionMachine.Level {
        let sql = try machine.begin(by: level).sql(isolation, readOnly: readOnly)
        // The BEGIN is not interruptible. After an interruption, it would be unknown whether there is a transaction. A
        // BEGIN is fast, so it needs no interruption.
        if Task.isCancelled { throw DatabaseError(.cancelled, statement: "begin") }
        _ = try await performUnchecked(name: "begin", isInterruptible: false, commits: false) {
            session throws(DatabaseError) in
            try session.command(sql)
        }
        defer { refreshStatus() }
        return machine.began()
    }

    /// Opens a transaction and runs its first statements in the same round trip. If it throws, nothing was done.
    /// - Returns: the level, and the rows of each call.
    func begin(
        opening calls: [(Statement, Arguments)]
    ) async throws(DatabaseError) -> (ConnectionMachine.Level, [Rows]) {
        let action = try machine.begin(by: nil)
        guard case .transaction = action else {
            let level = try await begin(by: nil, isolation: .readCommitted, readOnly: false)
            do throws(DatabaseError) {
                return (level, try await pipeline(calls, by: level))
            } catch {
                await rollBack(level)
                throw error
            }
        }
        var prepared: [Call] = []
        for (statement, arguments) in calls { prepared.append(try Call(statement, arguments)) }
        let sql = action.sql(.readCommitted, readOnly: false)
        do throws(DatabaseError) {
            let rows = try await performUnchecked(name: "begin", isInterruptible: true, commits: false) {
                session throws(DatabaseError) in
                try session.pipeline(prepared, after: sql)
            }
            defer { refreshStatus() }
            return (machine.began(), rows)
        } catch {
            // If the rollback fails, the connection is dropped, which undoes everything; see `rollBack`.
            if let session, session.isUsable, session.transactionStatus != .idle {
                try? await executeOrDrop("ROLLBACK")
            }
            refreshStatus()
            throw error
        }
    }

    /// Runs the block in an open level. Then commits the level, or rolls it back if the block throws.
    nonisolated(nonsending) func runBlock<Value>(
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

    /// Rolls the level back. Ignores an error of the rollback, because the caller throws the error that caused the
    /// rollback. After such an error the connection is dropped.
    func rollBack(_ level: ConnectionMachine.Level) async {
        try? await end(level, succeeded: false)
    }

    private func end(_ level: ConnectionMachine.Level, succeeded: Bool) async throws(DatabaseError) {
        guard let session else {
            machine.ended(level)
            throw DatabaseError(
                .connection(
                    reason: "the connection was lost before the transaction ended", commitUnknown: false))
        }
        let isCancelled = succeeded && Task.isCancelled
        let decision = machine.end(
            level, succeeded: succeeded && !isCancelled, status: session.transactionStatus)
        do {
            try await perform(decision.action)
        } catch {
            machine.ended(level)
            refreshStatus()
            throw error
        }
        machine.ended(level)
        refreshStatus()
        if let fault = decision.fault { throw DatabaseError(fault) }
        if isCancelled { throw DatabaseError(.cancelled) }
    }

    private func perform(_ end: ConnectionMachine.EndAction) async throws(DatabaseError) {
        switch end {
        case .commit:
            let tag = try await sendEndCommand("COMMIT", commits: true)
            // The server answers the COMMIT of a failed transaction with a rollback, and reports success.
            guard tag == "COMMIT" else {
                throw DatabaseError(.server(ServerFault(state: .inFailedSQLTransaction)))
            }
        case .release(let name): try await executeOrDrop("RELEASE SAVEPOINT \(name)")
        case .rollback: try await executeOrDrop("ROLLBACK")
        case .rollbackTo(let name):
            try await executeOrDrop("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
        case .drop: drop(because: "the server and the client disagree about the transaction")
        }
    }

    /// Runs the command. If it fails, drops the session, because the state of the transaction is unknown.
    private func executeOrDrop(_ sql: String) async throws(DatabaseError) {
        do {
            _ = try await sendEndCommand(sql, commits: false)
        } catch {
            drop(because: "\(sql) failed")
            throw error
        }
    }

    private func sendEndCommand(_ sql: String, commits: Bool) async throws(DatabaseError) -> String {
        try await performUnchecked(
            name: commits ? "commit" : "end", isInterruptible: false, commits: commits
        ) { session throws(DatabaseError) in
            try session.command(sql)
        }
    }

    /// Marks the session as lost, so that all later requests fail.
    func drop(because reason: String) {
        _ = session?.markLost(because: reason)
        refreshStatus()
    }
}
