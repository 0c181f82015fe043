import Postgres

extension Store {
    /// How long to retry during an outage. A standby needs less time to take over.
    private static let outageLimit = Duration.seconds(60)

    /// Retries the work for up to a minute while the database is unavailable. For idempotent work that would otherwise
    /// be lost for good.
    package func retryDuringOutage<Value>(
        _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        let startedAt = ContinuousClock.now
        while true {
            do {
                return try await work()
            } catch let error as DatabaseError
                where (error.isOutage || error.isTransient)
                && startedAt.duration(to: .now) < Self.outageLimit
            {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }
}
