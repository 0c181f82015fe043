/// Faults found so far, up to a bound: a hostile body must not make an answer that is larger than itself.
struct WalkFaults {
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
