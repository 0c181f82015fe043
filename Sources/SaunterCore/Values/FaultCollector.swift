/// Collects the faults of an input, and keeps a limited number of them. The limit protects the server from hostile
/// input.
struct FaultCollector {
    /// The default limit.
    static let maximumCount = 1000
    /// The limit for a walk or an observation, which has up to 200,000 values. With a higher limit, the response to a
    /// hostile request body could be larger than the body.
    static let maximumRecordCount = 100

    private let limit: Int
    private(set) var list: [Fault] = []

    init(limit: Int = FaultCollector.maximumCount) {
        self.limit = limit
    }

    var isEmpty: Bool { list.isEmpty }
    var isFull: Bool { list.count >= limit }
    var count: Int { list.count }

    /// Adds one fault. The detail text is built only if the fault is kept.
    /// - Parameter names: see `Fault.names`.
    mutating func add(
        _ pointer: String, _ code: String, _ detail: @autoclosure () -> String, naming names: String...
    ) {
        guard !isFull else { return }
        list.append(Fault(pointer: pointer, code: code, detail: detail(), names: names))
    }

    /// Adds several faults.
    mutating func add(_ faults: [Fault]) {
        list += faults.prefix(limit - list.count)
    }

    /// Throws the collected faults. Does nothing if there are none.
    func check() throws(Faults) {
        if !list.isEmpty { throw Faults(list) }
    }
}
