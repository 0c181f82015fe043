/// Collects the faults of one file while it is parsed, so that parsing can continue after each fault.
final class FaultLog {
    let file: String
    private(set) var faults: [PackFault] = []
    /// The lines of the values that could not be read. Checks of the complete definition can report faults that exist
    /// only because these values are missing.
    private(set) var unreadableLines: Set<Int> = []

    var hasUnreadableParts: Bool { !unreadableLines.isEmpty }

    /// The maximum number of reported faults per file.
    private static let limit = 200

    init(file: String) {
        self.file = file
    }

    /// Reports a fault that makes a value unreadable.
    func note(_ line: Int, _ message: String) {
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
