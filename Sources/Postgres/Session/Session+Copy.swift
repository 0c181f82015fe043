import CLibPQ

/// COPY, a piece at a time. Each piece is a request of its own with its own time limit; between pieces
/// nothing is read or sent, so a slow reader slows the server down.
extension Session {
    /// Rows are gathered to pieces of about this size. A longer row is a piece by itself.
    static let copyPieceBytes = 65_536

    /// Sends a COPY statement and waits until the server is ready to copy that way.
    func startCopy(_ sql: String, _ direction: Answer.Outcome) throws(DatabaseError) {
        try CStrings.check(sql, "the statement")
        copyOutHasEnded = false
        try requireSent(unsafe PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0))
        let answer = try nextAnswer()
        switch answer?.outcome {
        case direction: return
        case .copyIn, .copyOut:
            _ = lose(because: "a COPY goes the other way")
            throw DatabaseError(.misuse("copyIn is for COPY … FROM STDIN, copyOut for COPY … TO STDOUT"))
        default:
            _ = try collect()
            if let answer, answer.outcome == .refused { throw meaning(of: answer) }
            throw DatabaseError(.misuse("the statement is no COPY"))
        }
    }

    /// The next rows as the server formats them; nil when all have come.
    func nextCopyPiece() throws(DatabaseError) -> [UInt8]? {
        guard let first = try takeRow() else {
            _ = try collect()
            return nil
        }
        var fault: DatabaseError?
        let piece = unsafe [UInt8](
            unsafeUninitializedCapacity: max(Self.copyPieceBytes, first.count)
        ) { buffer, count in
            let rest = UnsafeMutableRawBufferPointer(buffer)
            unsafe first.write(to: rest)
            count = first.count
            do throws(DatabaseError) {
                while let row = try takeRow() {
                    guard row.count <= rest.count - count else {
                        carriedRow = consume row
                        return
                    }
                    unsafe row.write(to: UnsafeMutableRawBufferPointer(rebasing: rest[count...]))
                    count += row.count
                }
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        try requireNoStop()
        return piece
    }

    /// Sends a part of the data, of any length, and waits until the network has taken it.
    func putCopyPiece(_ piece: [UInt8]) throws(DatabaseError) {
        for start in stride(from: 0, to: piece.count, by: Self.copyPieceBytes) {
            let end = min(start + Self.copyPieceBytes, piece.count)
            while true {
                let status = unsafe piece.withUnsafeBytes { bytes in
                    let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    return unsafe PQputCopyData(
                        handle, part.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(part.count))
                }
                guard status >= 0 else { throw lose() }
                try flush()
                if status == 1 { break }
            }
        }
        try requireNoStop()
    }

    /// Ends the data; gives the number of rows that the server took.
    func endCopyIn() throws(DatabaseError) -> Int {
        try requireSent(unsafe PQputCopyEnd(handle, nil))
        return try collect().last?.affected ?? 0
    }

    /// Makes the server forget what it was sent.
    func abandonCopyIn() throws(DatabaseError) {
        try requireSent(unsafe PQputCopyEnd(handle, "abandoned by the client"))
        try ignoringRefusal { () throws(DatabaseError) in _ = try collect() }
    }

    /// Reads away what the server had sent before it was stopped.
    func abandonCopyOut() throws(DatabaseError) {
        while try takeRow() != nil {}
        try ignoringRefusal { () throws(DatabaseError) in _ = try collect() }
    }

    /// A piece got through although the server was asked to stop; the rest will not.
    private func requireNoStop() throws(DatabaseError) {
        switch exchange.stop {
        case .cancelled: throw DatabaseError(.cancelled)
        case .timedOut: throw DatabaseError(.timeout(.statement))
        case nil: return
        }
    }

    /// After something was broken off the server's complaint is no news; a lost connection is.
    private func ignoringRefusal(_ work: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        do throws(DatabaseError) {
            try work()
        } catch {
            guard isUsable else { throw error }
        }
    }

    private func takeRow() throws(DatabaseError) -> CopyRow? {
        if let row = carriedRow.take() { return row }
        while !copyOutHasEnded {
            var bytes: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &bytes, 1)
            if let bytes = unsafe bytes, count > 0 { return unsafe CopyRow(owning: bytes, count: Int(count)) }
            switch count {
            case 0: try waitForServer()
            case -1: copyOutHasEnded = true
            default: throw lose()
            }
        }
        return nil
    }
}
