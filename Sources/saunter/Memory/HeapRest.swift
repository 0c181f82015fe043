/// When a process should give back to the system what it has freed: once it rests after work. While it works the same pages are wanted again at once.
struct HeapRest: Sendable {
    /// Less of a second than this is rest.
    private static let idle = Duration.milliseconds(50)
    /// What has worked less than this since the last time has freed nothing worth looking for.
    private static let worthwhile = Duration.milliseconds(100)

    private var seen = Duration.zero
    private var givenBack = Duration.zero

    /// To be asked once a second.
    /// - Parameter used: processor time of the process since it began.
    mutating func isDue(used: Duration) -> Bool {
        let isResting = used - seen < Self.idle
        seen = used
        guard isResting, used - givenBack >= Self.worthwhile else { return false }
        givenBack = used
        return true
    }
}
