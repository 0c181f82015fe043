import Logging
import SaunterCore

/// The result of one of several records in one request. An error in one record does not affect the others.
struct RecordResult: Sendable {
    /// What a client does with a record after its result. The descriptions of batch uploads and data points quote
    /// this rule. Only a batch upload returns `duplicate` and `out_of_window`.
    static let rule = """
        A client deletes its copy of a record only if the server has the record: the result is `accepted`, \
        `replayed`, `duplicate` or `out_of_window`. After `retry` it uploads the same record again later. After \
        `rejected` the server has stored nothing, so the client keeps the record, but does not upload it again \
        unchanged. The `action` of the problem states what must happen first: `correct` the faults in `errors`, \
        `update_app` or `sign_in`, and then upload under the same id. `never_retry` means that the server will never \
        accept the record. The client then shows that the record is not stored, and the participant and the study \
        team decide what happens to the data.
        """

    private enum State: Sendable {
        case stored(JSON, isNew: Bool)
        case rejected(Problem)
    }

    private let id: String?
    private let state: State

    /// Submits one record, and stores the receipt or the error.
    /// - Parameters:
    ///   - id: the id of the record; nil if the record has no readable id.
    ///   - submit: stores the record. Returns its receipt, and false as `isNew` for a replay.
    init(
        id: String?, logger: Logger, submitting submit: () async throws -> RecordReceipt
    ) async {
        self.id = id
        do {
            let stored = try await submit()
            state = .stored(stored.json, isNew: stored.isNew)
        } catch {
            let problem = Problem(error)
            if problem.type.status >= 500 { logger.error("a record could not be stored: \(error)") }
            state = .rejected(problem)
        }
    }

    /// Whether this request has stored the record.
    var isNew: Bool { if case .stored(_, isNew: true) = state { true } else { false } }

    /// Why the record was not stored; nil if it is stored.
    var problem: Problem? { if case .rejected(let problem) = state { problem } else { nil } }

    /// The JSON of the result.
    /// - Parameter call: its request id becomes the `instance` of the problem document.
    func json<Caller>(_ call: Call<Caller>, publicURL: String) -> JSON {
        var object: JSONObject = ["id": .optional(id, JSON.string)]
        switch state {
        case .stored(let receipt, let isNew):
            object["result"] = isNew ? "accepted" : "replayed"
            object["receipt"] = receipt
        case .rejected(let problem):
            object["result"] = problem.type.action == .retryLater ? "retry" : "rejected"
            object["problem"] = problem.document(requestID: call.requestID, publicURL: publicURL)
        }
        return .object(object)
    }

    /// The schema of `json`.
    /// - Parameter receipt: the schema of the receipt.
    static func schema(_ receipt: Schema) -> Schema {
        .object([
            .required(
                "id", .nullable(.string()), "The id of the record; null if the record has no readable id."),
            .required(
                "result", .string(values: ["accepted", "replayed", "rejected", "retry"]),
                "What the server did. Only `accepted` and `replayed` mean that it has the data."),
            .optional("receipt", receipt, "The same as the response to a request with this record alone."),
            .optional(
                "problem", Problem.schema,
                "Why the record is not stored; present if `result` is `rejected` or `retry`."),
        ])
    }
}
