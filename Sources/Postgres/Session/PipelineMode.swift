import CLibPQ

/// Sends several requests in one round trip, with one synchronisation point at the end.
extension Session {
    /// One message of a pipeline. The server sends one result for each step.
    private enum Step {
        case begin(String)
        case prepare(PreparedStatements.Key, name: String, of: Int)
        case execute(Int, prepared: String?)
        case describe(String)

        /// The index of the call to which this step belongs.
        var call: Int {
            switch self {
            case .prepare(_, _, let call), .execute(let call, _): call
            case .begin, .describe: 0
            }
        }
    }

    /// Runs the calls in order. After the first error, the server skips the rest.
    /// - Parameter begin: the command that opens a transaction before the first call; nil for none.
    func pipeline(_ calls: [Call], after begin: String? = nil) throws(DatabaseError) -> [Rows] {
        guard !calls.isEmpty || begin != nil else { return [] }
        var rows: [Rows] = []
        try run((begin.map { [.begin($0)] } ?? []) + steps(for: calls), of: calls) { step, result in
            switch step {
            case .prepare(let key, let name, _): prepared.insert(name, for: key)
            case .execute(let call, _): rows.append(self.rows(result, for: calls[call]))
            case .begin, .describe: break
            }
        }
        // There must be one result for each call. Otherwise the session is inconsistent, without an error of the
        // server.
        guard rows.count == calls.count else {
            throw markLost(because: "the results of the pipeline do not match its requests")
        }
        return rows
    }

    /// Returns the types of the parameters and columns of a statement. The server parses the statement but does not run
    /// it. `types` are the types of the parameters. If they are absent, the server infers them.
    func describe(_ sql: String, types: [OID]) throws(DatabaseError) -> (
        parameters: [OID], layout: ColumnLayout
    ) {
        try CStrings.check(sql, "the statement")
        var described: ([OID], ColumnLayout) = ([], .none)
        let key = PreparedStatements.Key(sql: sql, types: types)
        try run([.prepare(key, name: "", of: 0), .describe("")], of: []) { step, result in
            if case .describe = step { described = (result.parameterTypes, result.layout) }
        }
        return described
    }

    private func steps(for calls: [Call]) -> [Step] {
        var newNames: [PreparedStatements.Key: String] = [:]
        var steps: [Step] = []
        for (index, call) in calls.enumerated() {
            if let name = prepared[call.key]?.name ?? newNames[call.key] {
                steps.append(.execute(index, prepared: name))
            } else if prepared.isFull {
                steps.append(.execute(index, prepared: nil))
            } else {
                let name = prepared.makeName()
                newNames[call.key] = name
                steps.append(.prepare(call.key, name: name, of: index))
                steps.append(.execute(index, prepared: name))
            }
        }
        return steps
    }

    private func run(
        _ steps: [Step], of calls: [Call], onResult: (Step, ServerResult) -> Void
    ) throws(DatabaseError) {
        try requireSent(unsafe PQenterPipelineMode(handle))
        for step in steps { try send(step, of: calls) }
        try requireSent(unsafe PQpipelineSync(handle))
        let errorResult = try collect(steps, onResult: onResult)
        try requireSent(unsafe PQexitPipelineMode(handle))
        if let (result, index) = errorResult {
            let error = makeError(for: result)
            guard index < calls.count else { throw error }
            removeIfInvalid(calls[index], after: error)
            throw error.naming(calls[index].name)
        }
        try requireConfirmedCommit()
    }

    private func send(_ step: Step, of calls: [Call]) throws(DatabaseError) {
        switch step {
        case .begin(let sql):
            try requireSent(unsafe PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0))
        case .prepare(let key, let name, _):
            let types = key.types.map(\.rawValue)
            try requireSent(unsafe PQsendPrepare(handle, name, key.sql, Int32(types.count), types))
        case .execute(let call, let name):
            try send(calls[call], as: name)
        case .describe(let name):
            try requireSent(unsafe PQsendDescribePrepared(handle, name))
        }
    }

    /// Reads the results up to the synchronisation point. Returns the first error with the index of its call. An error
    /// after all steps, such as a deferred constraint at the implicit commit, belongs to the last call.
    private func collect(
        _ steps: [Step], onResult: (Step, ServerResult) -> Void
    ) throws(DatabaseError) -> (ServerResult, Int)? {
        var position = 0
        var errorResult: (ServerResult, Int)?
        while true {
            guard let result = try nextResult() else {
                position += 1
                // After the last step, only an error of the implicit commit can follow. More results are a protocol
                // error.
                guard position <= steps.count + 1 else {
                    throw markLost(because: "the results of the pipeline do not match its requests")
                }
                continue
            }
            let step = position < steps.count ? steps[position] : nil
            switch result.outcome {
            case .pipelineEnd: return errorResult
            case .pipelineSkipped: break
            case .error:
                if endsSession(result) { throw makeError(for: result) }
                errorResult = errorResult ?? (result, (step ?? steps[steps.count - 1]).call)
            case .copyIn, .copyOut: throw unexpectedCopy()
            case .rows, .done, .emptyStatement:
                if let step { onResult(step, result) }
            }
        }
    }
}
