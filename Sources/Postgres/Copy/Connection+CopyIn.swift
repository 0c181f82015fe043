extension Connection {
    /// Runs `COPY … FROM STDIN` with the data of the source. The pieces need not be whole rows. Returns the number of
    /// stored rows.
    ///
    /// Asks the source for the next piece when the previous piece is written to the socket. If the source throws, the
    /// server stores nothing and the connection remains usable. If the server rejects the data, this function throws at
    /// the end.
    @discardableResult
    package nonisolated(nonsending) func copyIn<Source: AsyncSequence>(
        _ sql: String, from source: Source
    ) async throws -> Int where Source.Element == [UInt8] {
        try await copyIn(sql, by: nil, from: source)
    }

    nonisolated(nonsending) func copyIn<Source: AsyncSequence>(
        _ sql: String, by level: ConnectionMachine.Level?, from source: Source
    ) async throws -> Int where Source.Element == [UInt8] {
        let commits = try await startCopyIn(sql, by: level)
        do {
            for try await piece in source { try await putCopyPiece(piece) }
            return try await endCopyIn(commits: commits)
        } catch {
            await abandonCopyIn()
            throw error
        }
    }

    /// Starts the COPY. Returns whether the end of the COPY commits.
    private func startCopyIn(_ sql: String, by level: ConnectionMachine.Level?) async throws(DatabaseError)
        -> Bool
    {
        let commits = session?.transactionStatus == .idle
        try await perform(by: level, name: "copy_in") { session throws(DatabaseError) in
            try session.startCopy(sql, .copyIn)
            machine.copyBegan()
        }
        return commits
    }

    private func putCopyPiece(_ piece: [UInt8]) async throws(DatabaseError) {
        try await performUnchecked(
            name: "copy_in_piece", isInterruptible: true, commits: false
        ) { session throws(DatabaseError) in
            try session.putCopyPiece(piece)
        }
    }

    private func endCopyIn(commits: Bool) async throws(DatabaseError) -> Int {
        do throws(DatabaseError) {
            return try await performUnchecked(
                name: "copy_in_end", isInterruptible: true, commits: commits
            ) { session throws(DatabaseError) in
                machine.copyEnded()
                return try session.endCopyIn()
            }
        } catch {
            throw error.naming("copy_in")
        }
    }

    private func abandonCopyIn() async {
        guard machine.isCopying else { return }
        do throws(DatabaseError) {
            try await performUnchecked(
                name: "copy_in_abandon", isInterruptible: false, commits: false
            ) { session throws(DatabaseError) in
                try session.abandonCopyIn()
                machine.copyEnded()
            }
        } catch {
            // The caller gets the error that made it abort the COPY. `isUsable` shows that the connection is lost.
            drop(because: "a COPY could not be aborted")
        }
    }
}
