/// Gathers the faults of one file while it is read, so that reading can go on after each of them.
final class FaultLog {
    let file: String
    private(set) var faults: [PackFault] = []
    /// Something could not be read, so that rules about the whole would only report what follows from that.
    private(set) var isIncomplete = false

    /// Lines of the faults on account of which a value is missing.
    private(set) var holes: Set<Int> = []

    private static let limit = 200

    init(file: String) {
        self.file = file
    }

    /// A fault on account of which a value is missing.
    func note(_ line: Int, _ message: String) {
        isIncomplete = true
        holes.insert(max(1, line))
        remark(line, message)
    }

    /// A fault beside which everything could be read, such as a key that nobody knows.
    func remark(_ line: Int, _ message: String) {
        guard faults.count < Self.limit else { return }
        faults.append(PackFault(file: file, line: max(1, line), message: message))
    }
}
