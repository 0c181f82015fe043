/// Gathers faults while an input is read; what a hostile input could add beyond 1,000 is left out.
struct GatheredFaults {
    static let maximumCount = 1000

    private(set) var list: [Fault] = []

    var isEmpty: Bool { list.isEmpty }
    var count: Int { list.count }

    mutating func add(_ pointer: String, _ code: String, _ detail: @autoclosure () -> String) {
        guard list.count < Self.maximumCount else { return }
        list.append(Fault(pointer: pointer, code: code, detail: detail()))
    }

    mutating func add(_ faults: [Fault]) {
        list += faults.prefix(Self.maximumCount - list.count)
    }

    /// Throws them if there are any.
    func check() throws(Faults) {
        if !list.isEmpty { throw Faults(list) }
    }
}
