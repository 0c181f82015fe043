/// Pauses an export while the server is busy with submissions. The export takes longer, and submissions do not wait for
/// it.
struct ExportThrottle {
    /// The length of a pause as a multiple of the work before it. While the server is busy, an export gets a quarter of
    /// its normal speed.
    private static let pauseFactor = 3
    /// The longest pause. It bounds the pause after work that took long for another reason.
    private static let longestPause = Duration.milliseconds(250)

    private let isServerBusy: @Sendable () async -> Bool
    private var workStart = ContinuousClock.now

    init(isServerBusy: @escaping @Sendable () async -> Bool) {
        self.isServerBusy = isServerBusy
    }

    /// Pauses if the server is busy. Called after every piece of work.
    /// - Throws: `CancellationError`.
    mutating func pauseIfNeeded() async throws {
        let worked = workStart.duration(to: .now)
        if await isServerBusy() {
            try await Task.sleep(for: min(worked * Self.pauseFactor, Self.longestPause))
        }
        workStart = .now
    }
}
