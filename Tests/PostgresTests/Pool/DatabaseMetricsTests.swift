import Metrics
import MetricsTestKit
import Postgres
import Testing

@Suite("Database metrics") struct DatabaseMetricsTests {
    @Test func `statement durations, acquire waits, connections in use and errors are recorded`() async throws
    {
        let metrics = TestMetrics()
        let string = try await TestServer.connectionString()
        try await withMetricsFactory(metrics) {
            let pool = Pool(connectionString: string, size: 1, name: "test")
            let statement = Statement(name: "count_sheets", sql: "select 1 / $1")
            _ = try await pool.query(statement, [.int4(1)])
            _ = try await pool.query(statement, [.int4(1)])
            await #expect(throws: DatabaseError.self) { _ = try await pool.query(statement, [.int4(0)]) }
            try await pool.withConnection { _ in
                let inUse = try metrics.expectMeter("database_connections_in_use", [("pool", "test")])
                #expect(inUse.lastValue == 1)
            }
            await pool.close()
        }

        let timer = try metrics.expectTimer(
            "database_query_duration_seconds", [("pool", "test"), ("statement", "count_sheets")])
        #expect(timer.values.count == 3)
        #expect(timer.values.allSatisfy { $0 > 0 })
        #expect(
            try metrics.expectTimer("database_acquire_wait_seconds", [("pool", "test")]).values.count == 4)
        #expect(try metrics.expectMeter("database_connections_in_use", [("pool", "test")]).lastValue == 0)
        let errors = try metrics.expectCounter(
            "database_errors_total", [("pool", "test"), ("class", "server_22")])
        #expect(errors.totalValue == 1)
    }
}
