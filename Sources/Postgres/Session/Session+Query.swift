import CLibPQ

extension Session {
    /// Runs a prepared statement; on its first use it is prepared in the same round trip.
    func query(_ call: Call) throws(DatabaseError) -> Rows {
        guard let known = prepared[call.key] else { return try pipeline([call])[0] }
        try send(call, as: known.name)
        do throws(DatabaseError) {
            guard let answer = try collect().last else { throw lose(because: "no answer to a statement") }
            return rows(answer, for: call)
        } catch {
            guard forgetIfUnusable(call, after: error), transactionStatus == .idle else { throw error }
            // Nothing was run, and outside a transaction nothing is spoilt.
            return try pipeline([call])[0]
        }
    }

    /// Runs a fixed command without parameters (BEGIN, COMMIT) and gives its tag.
    func command(_ sql: String) throws(DatabaseError) -> String {
        try requireSent(unsafe PQsendQuery(handle, sql))
        return try collect().last?.commandTag ?? ""
    }

    /// Runs the statements of a script, in one transaction unless the script says otherwise.
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

    /// All answers to a request outside pipeline mode. The session stays in step whatever they say.
    func collect() throws(DatabaseError) -> [Answer] {
        var answers: [Answer] = []
        var refusal: Answer?
        while let answer = try nextAnswer() {
            switch answer.outcome {
            case .refused:
                refusal = refusal ?? answer
                if endsSession(answer) { throw meaning(of: answer) }
            case .copyIn, .copyOut: throw strayCopy()
            default: answers.append(answer)
            }
        }
        if let refusal { throw meaning(of: refusal) }
        try requireConfirmedCommit()
        return answers
    }

    /// No further answers will come.
    func endsSession(_ refusal: Answer) -> Bool {
        unsafe PQstatus(handle) == CONNECTION_BAD || refusal.fault?.isFatal == true
    }

    /// What a refusal means to the caller. A fatal one ends the session, and so does one that says that this
    /// server does not lead any more: another connection finds the one that does.
    func meaning(of refusal: Answer) -> DatabaseError {
        guard let fault = refusal.fault else { return lose(because: refusal.clientMessage) }
        if fault.isFatal { return lose(because: fault.description) }
        if takesNoWrites, fault.refusesWriting {
            return lose(because: "the server takes no writes: \(fault.description)", commitUnknown: false)
        }
        return DatabaseError(exchange.meaning(of: fault, at: .now))
    }

    /// A success that the standby did not confirm is none.
    func requireConfirmedCommit() throws(DatabaseError) {
        if inbox.takeUnconfirmedCommit() { throw DatabaseError(.durabilityUnknown) }
    }

    func rows(_ answer: Answer, for call: Call) -> Rows {
        let known = prepared[call.key]
        let layout = known?.layout ?? answer.layout
        if known != nil, known?.layout == nil { prepared.remember(layout, for: call.key) }
        return Rows(answer: answer, layout: layout, statement: call.name)
    }

    /// Whether the prepared statement is of no more use, in which case the server has not run it.
    @discardableResult
    func forgetIfUnusable(_ call: Call, after error: DatabaseError) -> Bool {
        guard let fault = error.serverFault, fault.isStalePlan || fault.state == .invalidSQLStatementName
        else {
            return false
        }
        prepared.forget(call.key)
        return true
    }

    /// COPY given to a function that is not for it. The session would have to be talked out of it; it is
    /// dropped.
    func strayCopy() -> DatabaseError {
        _ = lose(because: "a COPY was sent as a query")
        return DatabaseError(.misuse("COPY goes through copyIn and copyOut"))
    }
}
