/// The time that the work takes, in milliseconds.
func milliseconds(_ work: () async throws -> Void) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await work()
    return (clock.now - start) / .milliseconds(1)
}
