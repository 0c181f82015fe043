/// Collects the faults of a walk or an observation, at most `limit`. Without a limit, the response to a hostile request
/// body could be larger than the body.
struct RecordFaults {
    static let limit = 100

    private(set) var list: [Fault] = []

    var isFull: Bool { list.count >= Self.limit }

    mutating func add(_ pointer: String, _ code: String, _ detail: String) {
        guard !isFull else { return }
        list.append(Fault(pointer: pointer, code: code, detail: detail))
    }

    func throwAny() throws(Faults) {
        if !list.isEmpty { throw Faults(list) }
    }
}
