/// Decides when a process returns freed memory to the system: once, when it is idle after work. During work the process
/// would need the same pages again at once.
struct HeapTrimSchedule: Sendable {
    /// The process is idle if it used less processor time than this in the last second.
    private static let idleLimit = Duration.milliseconds(50)
    /// If the process used less processor time than this since the last trim, a trim would find little memory.
    private static let minimumWork = Duration.milliseconds(100)

    private var usedAtLastCheck = Duration.zero
    private var usedAtLastTrim = Duration.zero

    /// Whether to trim the heap now. The caller asks once a second.
    /// - Parameter used: processor time of the process since it started.
    mutating func isDue(used: Duration) -> Bool {
        let isIdle = used - usedAtLastCheck < Self.idleLimit
        usedAtLastCheck = used
        guard isIdle, used - usedAtLastTrim >= Self.minimumWork else { return false }
        usedAtLastTrim = used
        return true
    }
}
