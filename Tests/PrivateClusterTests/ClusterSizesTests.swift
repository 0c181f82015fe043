import SaunterTesting
import Testing

@testable import PrivateCluster

@Suite struct ClusterSizesTests {
    @Test(arguments: [
        (0, 0, 128, 256, 1024), (2 << 30, 10 << 30, 512, 1024, 1024),
        (24 << 30, 100 << 30, 2048, 12_288, 5120), (256 << 30, 1 << 50, 2048, 131_072, 8192),
    ])
    func `sizes follow memory and disk within limits`(
        memory: Int, disk: Int, buffers: Int, cache: Int, log: Int
    ) {
        let sizes = ClusterSizes(memory: memory, disk: disk)

        #expect(sizes.sharedBuffers == buffers)
        #expect(sizes.effectiveCache == cache)
        #expect(sizes.maximumLog == log)
    }

    @Test func `a cluster has the sizes of its machine, and a line of the operator overrides them`()
        async throws
    {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        let connection = try await first.start()
        let expected = ClusterSizes.current(for: fixture.data)
        let buffers = "SELECT setting::int * 8 / 1024 FROM pg_settings WHERE name = 'shared_buffers'"
        let log = "SELECT setting FROM pg_settings WHERE name = 'max_wal_size'"
        #expect(try await ClusterFixture.query(buffers, on: connection) == "\(expected.sharedBuffers)")
        #expect(try await ClusterFixture.query(log, on: connection) == "\(expected.maximumLog)")
        await first.stop()

        let path = "\(fixture.data)/postgresql.conf"
        try write(try #require(text(path)) + "shared_buffers = 64MB\n", to: path)
        let second = try fixture.cluster()
        _ = try await second.start()

        #expect(try await ClusterFixture.query(buffers, on: connection) == "64")
        #expect(try await ClusterFixture.query(log, on: connection) == "\(expected.maximumLog)")
        await second.stop()
        try await fixture.remove()
    }
}
