import CLibPQ

/// Several requests in one round trip, with one synchronisation point at the end.
extension Session {
    /// What is sent within a pipeline, each answered by one answer.
    private enum Step {
        case prepare(PreparedStatements.Key, name: String, of: Int)
        case execute(Int, prepared: String?)
        case describe(String)

        /// Which call of the caller's it belongs to.
        var call: Int {
            switch self {
            case .prepare(_, _, let call), .execute(let call, _): call
            case .describe: 0
            }
        }
    }

    /// Runs the calls in order; after the first refusal the rest is skipped by the server.
    func pipeline(_ calls: [Call]) throws(DatabaseError) -> [Rows] {
        guard !calls.isEmpty else { return [] }
        var rows: [Rows] = []
        try run(steps(for: calls), of: calls) { step, answer in
            switch step {
            case .prepare(let key, let name, _): prepared.insert(name, for: key)
            case .execute(let call, _): rows.append(self.rows(answer, for: calls[call]))
            case .describe: break
            }
        }
        // Each call has its answer, or something is wrong that the server did not say.
        guard rows.count == calls.count else { throw lose(because: "the pipeline is out of step") }
        return rows
    }

    /// Has the server parse a statement and tell its types. `types` are those of the parameters, inferred
    /// where absent.
    func describe(_ sql: String, types: [OID]) throws(DatabaseError) -> (
        parameters: [OID], layout: ColumnLayout
    ) {
        try CStrings.check(sql, "the statement")
        var described: ([OID], ColumnLayout) = ([], .none)
        let key = PreparedStatements.Key(sql: sql, types: types)
        try run([.prepare(key, name: "", of: 0), .describe("")], of: []) { step, answer in
            if case .describe = step { described = (answer.parameterTypes, answer.layout) }
        }
        return described
    }

    private func steps(for calls: [Call]) -> [Step] {
        var fresh: [PreparedStatements.Key: String] = [:]
        var steps: [Step] = []
        for (index, call) in calls.enumerated() {
            if let name = prepared[call.key]?.name ?? fresh[call.key] {
                steps.append(.execute(index, prepared: name))
            } else if prepared.isFull {
                steps.append(.execute(index, prepared: nil))
            } else {
                let name = prepared.makeName()
                fresh[call.key] = name
                steps.append(.prepare(call.key, name: name, of: index))
                steps.append(.execute(index, prepared: name))
            }
        }
        return steps
    }

    private func run(
        _ steps: [Step], of calls: [Call], answered: (Step, Answer) -> Void
    ) throws(DatabaseError) {
        try requireSent(unsafe PQenterPipelineMode(handle))
        for step in steps { try send(step, of: calls) }
        try requireSent(unsafe PQpipelineSync(handle))
        let refusal = try collect(steps, answered: answered)
        try requireSent(unsafe PQexitPipelineMode(handle))
        if let (answer, index) = refusal {
            let error = meaning(of: answer)
            guard index < calls.count else { throw error }
            forgetIfUnusable(calls[index], after: error)
            throw error.naming(calls[index].name)
        }
        try requireConfirmedCommit()
    }

    private func send(_ step: Step, of calls: [Call]) throws(DatabaseError) {
        switch step {
        case .prepare(let key, let name, _):
            let types = key.types.map(\.rawValue)
            try requireSent(unsafe PQsendPrepare(handle, name, key.sql, Int32(types.count), types))
        case .execute(let call, let name):
            try send(calls[call], as: name)
        case .describe(let name):
            try requireSent(unsafe PQsendDescribePrepared(handle, name))
        }
    }

    /// Reads up to the synchronisation point. Gives the first refusal with the index of its call; a refusal
    /// that comes after all steps (a deferred constraint at the implicit commit) is laid to the last call.
    private func collect(
        _ steps: [Step], answered: (Step, Answer) -> Void
    ) throws(DatabaseError) -> (Answer, Int)? {
        var position = 0
        var refusal: (Answer, Int)?
        while true {
            guard let answer = try nextAnswer() else {
                position += 1
                // After the last step comes at most the failure of the implicit commit; a further end is
                // nonsense.
                guard position <= steps.count + 1 else { throw lose(because: "the pipeline is out of step") }
                continue
            }
            let step = position < steps.count ? steps[position] : nil
            switch answer.outcome {
            case .pipelineEnd: return refusal
            case .pipelineSkipped: break
            case .refused:
                if endsSession(answer) { throw meaning(of: answer) }
                refusal = refusal ?? (answer, (step ?? steps[steps.count - 1]).call)
            case .copyIn, .copyOut: throw strayCopy()
            case .rows, .done, .emptyStatement:
                if let step { answered(step, answer) }
            }
        }
    }
}
