import Logging
import SaunterCore

/// What became of one of several things that came in one body, each judged by itself.
struct ItemResult: Sendable {
    private enum Fate: Sendable {
        case stored(JSON, isNew: Bool)
        case refused(Problem)
    }

    private let id: String?
    private let fate: Fate

    /// Hands the thing in. Whatever goes wrong with it is its own.
    /// - Parameter id: that it is stored under; nil where nobody could tell.
    init(
        id: String?, logger: Logger, handingIn handIn: () async throws -> (json: JSON, isNew: Bool)
    ) async {
        self.id = id
        do {
            let stored = try await handIn()
            fate = .stored(stored.json, isNew: stored.isNew)
        } catch {
            let problem = Problem(error)
            if problem.type.status >= 500 { logger.error("an item failed: \(error)") }
            fate = .refused(problem)
        }
    }

    /// Whether it is stored by this very request.
    var isNew: Bool { if case .stored(_, isNew: true) = fate { true } else { false } }

    /// Why it was not stored; nil for what is.
    var problem: Problem? { if case .refused(let problem) = fate { problem } else { nil } }

    /// - Parameter call: names the request in the problem.
    func json<Caller>(_ call: Call<Caller>, publicURL: String) -> JSON {
        var object: JSONObject = ["id": .optional(id, JSON.string)]
        switch fate {
        case .stored(let receipt, let isNew):
            object["result"] = isNew ? "accepted" : "replayed"
            object["receipt"] = receipt
        case .refused(let problem):
            object["result"] = problem.type.action == .retryLater ? "retry" : "rejected"
            object["problem"] = problem.document(requestID: call.requestID, publicURL: publicURL)
        }
        return .object(object)
    }

    static func schema(_ receipt: Schema) -> Schema {
        .object([
            .required(
                "id", .nullable(.string()), "What it is stored under; null where that could not be told."),
            .required("result", .string(values: ["accepted", "replayed", "rejected", "retry"])),
            .optional("receipt", receipt, "As the single request would have answered."),
            .optional("problem", Problem.schema),
        ])
    }
}
