/// Collects the faults of one file while it is parsed, so that parsing can continue after each fault.
final class FaultLog {
    let file: String
    private(set) var faults: [PackFault] = []
    /// Whether a value could not be read. In that case checks of the complete definition would also report faults that
    /// exist only because of it.
    private(set) var hasUnreadableParts = false

    /// The lines of the values that could not be read.
    private(set) var unreadableLines: Set<Int> = []

    /// The maximum number of reported faults per file.
    private static let limit = 200

    init(file: String) {
        self.file = file
    }

    /// Reports a fault that makes a value unreadable.
    func note(_ line: Int, _ message: String) {
        hasUnreadableParts = true
        unreadableLines.insert(max(1, line))
        append(line, message)
    }

    /// Reports an unknown key or name. All values can be read without it.
    func noteUnknownKey(_ line: Int, _ message: String) {
        append(line, message)
    }

    private func append(_ line: Int, _ message: String) {
        guard faults.count < Self.limit else { return }
        faults.append(PackFault(file: file, line: max(1, line), message: message))
    }
}
