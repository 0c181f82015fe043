import Testing

@testable import SaunterServer

@Suite struct BoundsTests {
    @Test func `a disk with room is good, one without is not`() async {
        #expect(await ReadinessCheck.diskRoom(at: "/tmp", bytes: 1).fault() == nil)
        #expect(
            await ReadinessCheck.diskRoom(at: "/tmp", bytes: 1 << 62).fault()
                == "less than \(1 << 42) MiB are free")
        #expect(
            await ReadinessCheck.diskRoom(at: "/no/such").fault() == "the data directory cannot be looked at")
    }

    @Test(arguments: [(1024, 768), (200, 64), (1_000_000, 20_000), (0, 64)])
    func `connections leave descriptors for others`(descriptors: Int, bound: Int) {
        #expect(ConnectionBound.bound(descriptors: descriptors) == bound)
    }
}
