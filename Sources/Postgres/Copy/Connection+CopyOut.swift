extension Connection {
    /// Runs `COPY … TO STDOUT` and passes the data to the sink, in pieces of about 64 KiB that contain whole rows.
    ///
    /// Fetches the next piece after the sink has returned. A slow sink therefore slows the server down, and memory use
    /// stays constant. If the sink throws, the COPY is aborted and the connection remains usable.
    ///
    /// COPY takes no parameters. To pass a value, call `set_config(…, $1, true)` in the same transaction, and read it
    /// in the SQL with `current_setting`.
    package nonisolated(nonsending) func copyOut(
        _ sql: String, into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        try await copyOut(sql, by: nil, into: sink)
    }

    nonisolated(nonsending) func copyOut(
        _ sql: String, by level: ConnectionMachine.Level?,
        into sink: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws {
        try await startCopyOut(sql, by: level)
        do {
            while let piece = try await nextCopyPiece() { try await sink(piece) }
        } catch {
            await abandonCopyOut()
            throw error
        }
    }

    private func startCopyOut(_ sql: String, by level: ConnectionMachine.Level?) async throws(DatabaseError) {
        try await perform(by: level, name: "copy_out") { session throws(DatabaseError) in
            try session.startCopy(sql, .copyOut)
            machine.copyBegan()
        }
    }

    private func nextCopyPiece() async throws(DatabaseError) -> [UInt8]? {
        do throws(DatabaseError) {
            return try await performUnchecked(
                name: "copy_out_piece", isInterruptible: true, commits: false
            ) { session throws(DatabaseError) in
                let piece = try session.nextCopyPiece()
                if piece == nil { machine.copyEnded() }
                return piece
            }
        } catch {
            throw error.naming("copy_out")
        }
    }

    private func abandonCopyOut() async {
        guard machine.isCopying else { return }
        do throws(DatabaseError) {
            try await performUnchecked(
                name: "copy_out_abandon", isInterruptible: false, commits: false, stopsImmediately: true
            ) { session throws(DatabaseError) in
                try session.abandonCopyOut()
                machine.copyEnded()
            }
        } catch {
            // The caller gets the error that made it abort the COPY. `isUsable` shows that the connection is lost.
            drop(because: "a COPY could not be aborted")
        }
    }
}
