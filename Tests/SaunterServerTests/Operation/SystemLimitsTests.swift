import Testing

@testable import SaunterServer

@Suite struct SystemLimitsTests {
    @Test func `the check of the disk fails if too little space is free`() async {
        #expect(await ReadinessCheck.freeDiskSpace(at: "/tmp", bytes: 1).fault() == nil)
        #expect(
            await ReadinessCheck.freeDiskSpace(at: "/tmp", bytes: 1 << 62).fault()
                == "less than \(1 << 42) MiB are free")
        #expect(
            await ReadinessCheck.freeDiskSpace(at: "/no/such").fault() == "the data directory cannot be read")
    }

    @Test(arguments: [(1024, 768), (200, 64), (1_000_000, 20_000), (0, 64)])
    func `connections leave file descriptors for other uses`(descriptors: Int, connections: Int) {
        #expect(ConnectionLimit.connections(descriptors: descriptors) == connections)
    }
}
