import CLibPQ

/// Runs COPY in pieces. Each piece is a separate request with its own time limit. Between pieces the session neither
/// reads nor sends. A slow reader therefore slows the server down (back-pressure).
extension Session {
    /// The approximate size of a piece, which contains whole rows. A longer row is a separate piece.
    static let copyPieceBytes = 65_536

    /// Sends a COPY statement and waits until the server is ready to copy in this direction.
    func startCopy(_ sql: String, _ direction: ServerResult.Outcome) throws(DatabaseError) {
        try CStrings.check(sql, "the statement")
        copyOutHasEnded = false
        try requireSent(unsafe PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0))
        let result = try nextResult()
        switch result?.outcome {
        case direction: return
        case .copyIn, .copyOut:
            _ = markLost(because: "a COPY has the opposite direction")
            throw DatabaseError(.misuse("copyIn is for COPY … FROM STDIN, copyOut for COPY … TO STDOUT"))
        default:
            _ = try collect()
            if let result, result.outcome == .error { throw makeError(for: result) }
            throw DatabaseError(.misuse("the statement is not a COPY"))
        }
    }

    /// Returns the next rows in the format of the server, or nil after the last row.
    func nextCopyPiece() throws(DatabaseError) -> [UInt8]? {
        guard let first = try takeRow() else {
            _ = try collect()
            return nil
        }
        var fault: DatabaseError?
        let piece = unsafe [UInt8](
            unsafeUninitializedCapacity: max(Self.copyPieceBytes, first.count)
        ) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            unsafe first.write(to: target)
            count = first.count
            do throws(DatabaseError) {
                while let row = try takeRow() {
                    guard row.count <= target.count - count else {
                        pendingRow = consume row
                        return
                    }
                    unsafe row.write(to: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
                    count += row.count
                }
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        try checkNotStopped()
        return piece
    }

    /// Sends a piece of the data, of any length, and waits until it is written to the socket.
    func putCopyPiece(_ piece: [UInt8]) throws(DatabaseError) {
        for start in stride(from: 0, to: piece.count, by: Self.copyPieceBytes) {
            let end = min(start + Self.copyPieceBytes, piece.count)
            while true {
                let status = unsafe piece.withUnsafeBytes { bytes in
                    let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    return unsafe PQputCopyData(
                        handle, part.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(part.count))
                }
                guard status >= 0 else { throw markLost() }
                try flush()
                if status == 1 { break }
            }
        }
        try checkNotStopped()
    }

    /// Ends the data. Returns the number of rows that the server stored.
    func endCopyIn() throws(DatabaseError) -> Int {
        try requireSent(unsafe PQputCopyEnd(handle, nil))
        return try collect().last?.affectedRowCount ?? 0
    }

    /// Aborts the COPY. The server discards the data that it received.
    func abandonCopyIn() throws(DatabaseError) {
        try requireSent(unsafe PQputCopyEnd(handle, "abandoned by the client"))
        try ignoringServerErrors { () throws(DatabaseError) in _ = try collect() }
    }

    /// Reads and discards the data that the server sent before it stopped.
    func abandonCopyOut() throws(DatabaseError) {
        while try takeRow() != nil {}
        try ignoringServerErrors { () throws(DatabaseError) in _ = try collect() }
    }

    /// Throws if the server was asked to stop. A piece can still be transferred after that, but the rest cannot.
    private func checkNotStopped() throws(DatabaseError) {
        switch exchange.stopReason {
        case .cancelled: throw DatabaseError(.cancelled)
        case .timedOut: throw DatabaseError(.timeout(.statement))
        case nil: return
        }
    }

    /// Ignores the error that the server reports because the COPY was aborted. Rethrows if the connection is lost.
    private func ignoringServerErrors(_ work: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        do throws(DatabaseError) {
            try work()
        } catch {
            guard isUsable else { throw error }
        }
    }

    private func takeRow() throws(DatabaseError) -> CopyRow? {
        if let row = pendingRow.take() { return row }
        while !copyOutHasEnded {
            var bytes: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &bytes, 1)
            if let bytes = unsafe bytes, count > 0 { return unsafe CopyRow(owning: bytes, count: Int(count)) }
            switch count {
            case 0: try waitForServer()
            case -1: copyOutHasEnded = true
            default: throw markLost()
            }
        }
        return nil
    }
}
