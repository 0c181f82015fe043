import CLibPQ

extension Session {
    /// Runs a prepared statement. The first call prepares it in the same round trip.
    func query(_ call: Call) throws(DatabaseError) -> Rows {
        guard let known = prepared[call.key] else { return try pipeline([call])[0] }
        try send(call, as: known.name)
        do throws(DatabaseError) {
            guard let result = try collect().last else {
                throw markLost(because: "no result for a statement")
            }
            return rows(result, for: call)
        } catch {
            guard removeIfInvalid(call, after: error), transactionStatus == .idle else { throw error }
            // The server did not run the statement, and there is no open transaction that failed. A retry is safe.
            return try pipeline([call])[0]
        }
    }

    /// Runs a fixed command without parameters (BEGIN, COMMIT). Returns its command tag.
    func command(_ sql: String) throws(DatabaseError) -> String {
        try requireSent(unsafe PQsendQuery(handle, sql))
        return try collect().last?.commandTag ?? ""
    }

    /// Runs the statements of a script. They run in one transaction unless the script contains transaction commands.
    func execute(script: String) throws(DatabaseError) {
        try CStrings.check(script, "the script")
        try requireSent(unsafe PQsendQuery(handle, script))
        _ = try collect()
    }

    func send(_ call: Call, as name: String?) throws(DatabaseError) {
        let status = unsafe call.block.withPointers { count, values, lengths, formats in
            guard let name else {
                let types = call.key.types.map(\.rawValue)
                return unsafe PQsendQueryParams(
                    handle, call.key.sql, count, types, values, lengths, formats, 1)
            }
            return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        try requireSent(status)
    }

    /// Returns all results of a request outside pipeline mode. Reads all results even after an error, so that the next
    /// request starts in the correct state. Only a lost session ends the reading early.
    func collect() throws(DatabaseError) -> [ServerResult] {
        var results: [ServerResult] = []
        var errorResult: ServerResult?
        while let result = try nextResult() {
            switch result.outcome {
            case .error:
                errorResult = errorResult ?? result
                if endsSession(result) { throw makeError(for: result) }
            case .copyIn, .copyOut: throw unexpectedCopy()
            default: results.append(result)
            }
        }
        if let errorResult { throw makeError(for: errorResult) }
        try requireConfirmedCommit()
        return results
    }

    /// Whether the server sends no further results after this error.
    func endsSession(_ errorResult: ServerResult) -> Bool {
        unsafe PQstatus(handle) == CONNECTION_BAD || errorResult.fault?.isFatal == true
    }

    /// Returns the error for the caller. The session ends in two cases:
    ///
    /// 1. the error is fatal,
    /// 2. the error shows that this server is no longer the primary. A new connection finds the new primary.
    func makeError(for errorResult: ServerResult) -> DatabaseError {
        guard let fault = errorResult.fault else { return markLost(because: errorResult.clientMessage) }
        if fault.isFatal { return markLost(because: fault.description) }
        if isReadOnly, fault.isWriteRejection {
            return markLost(because: "the server is read-only: \(fault.description)", commitUnknown: false)
        }
        return DatabaseError(exchange.errorKind(for: fault, at: .now))
    }

    /// Throws if the standby did not confirm the commit, although the server reported success.
    func requireConfirmedCommit() throws(DatabaseError) {
        if noticeReceiver.takeUnconfirmedCommit() { throw DatabaseError(.durabilityUnknown) }
    }

    func rows(_ result: ServerResult, for call: Call) -> Rows {
        let known = prepared[call.key]
        let layout = known?.layout ?? result.layout
        if known != nil, known?.layout == nil { prepared.setLayout(layout, for: call.key) }
        return Rows(result: result, layout: layout, statement: call.name)
    }

    /// Removes the prepared statement if the error shows that it is no longer valid. Returns whether it did. In that
    /// case the server has not run the statement.
    @discardableResult
    func removeIfInvalid(_ call: Call, after error: DatabaseError) -> Bool {
        guard let fault = error.serverFault, fault.isStalePlan || fault.state == .invalidSQLStatementName
        else {
            return false
        }
        prepared.remove(call.key)
        return true
    }

    /// The error for a COPY that was sent to `query`, `pipeline` or `execute`. Drops the session, because ending the
    /// COPY would need more requests.
    func unexpectedCopy() -> DatabaseError {
        _ = markLost(because: "a COPY was sent as a query")
        return DatabaseError(.misuse("use copyIn or copyOut for COPY"))
    }
}
