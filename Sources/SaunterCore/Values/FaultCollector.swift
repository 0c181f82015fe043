/// Collects the faults of an input, and keeps at most 1,000 of them. The limit protects the server from hostile input.
struct FaultCollector {
    static let maximumCount = 1000

    private(set) var list: [Fault] = []

    var isEmpty: Bool { list.isEmpty }
    var count: Int { list.count }

    /// Adds one fault. The detail text is built only if the fault is kept.
    /// - Parameter names: see `Fault.names`.
    mutating func add(
        _ pointer: String, _ code: String, _ detail: @autoclosure () -> String, naming names: String...
    ) {
        guard list.count < Self.maximumCount else { return }
        list.append(Fault(pointer: pointer, code: code, detail: detail(), names: names))
    }

    /// Adds several faults.
    mutating func add(_ faults: [Fault]) {
        list += faults.prefix(Self.maximumCount - list.count)
    }

    /// Throws the collected faults. Does nothing if there are none.
    func check() throws(Faults) {
        if !list.isEmpty { throw Faults(list) }
    }
}
