import SaunterCore

/// Encodes the problem for which an edit was refused, for storage. A retry of the edit gets the same problem.
enum EditRefusal {
    static func json(_ problem: Problem) -> JSON {
        [
            "type": .string(problem.type.slug), "detail": .optional(problem.detail, JSON.string),
            "errors": .array(
                problem.faults.map {
                    [
                        "pointer": .string($0.pointer), "code": .string($0.code),
                        "detail": .string($0.detail),
                    ]
                }),
        ]
    }

    /// The problem that `json(_:)` encoded; `internal` if the stored value is not readable.
    static func problem(_ json: JSON?) -> Problem {
        let slug = json?["type"]?.string
        guard let type = ProblemType.allCases.first(where: { $0.slug == slug }) else {
            return Problem(.internalError)
        }
        let faults = (json?["errors"]?.array ?? []).map { fault in
            Fault(
                pointer: fault["pointer"]?.string ?? "", code: fault["code"]?.string ?? "",
                detail: fault["detail"]?.string ?? "")
        }
        return Problem(type, json?["detail"]?.string, faults: faults)
    }
}
