/// Rests of a dataset in the making, taken while somebody hands in: it may take longer, they may not wait.
struct MakingWay {
    /// Rest as a multiple of the work before it: while it makes way, a dataset takes a quarter of what it would.
    private static let share = 3
    /// So that work which stood still for other reasons is not followed by a rest as long.
    private static let longest = Duration.milliseconds(250)

    private let isWanted: @Sendable () async -> Bool
    private var since = ContinuousClock.now

    init(when isWanted: @escaping @Sendable () async -> Bool) {
        self.isWanted = isWanted
    }

    /// Called after every piece of work.
    /// - Throws: `CancellationError`.
    mutating func rest() async throws {
        let worked = since.duration(to: .now)
        if await isWanted() { try await Task.sleep(for: min(worked * Self.share, Self.longest)) }
        since = .now
    }
}
