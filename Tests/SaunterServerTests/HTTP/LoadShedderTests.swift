import Testing

@testable import SaunterServer

@Suite struct LoadShedderTests {
    @Test func `bytes are limited, but one large body is accepted alone`() async throws {
        let loadShedder = LoadShedder(maximumRequests: 10, maximumBytes: 100)

        _ = try await loadShedder.withPermit(bytes: 1000, for: nil) {
            await #expect(throws: Problem.self) { try await loadShedder.withPermit(bytes: 1, for: nil) {} }
        }
        try await loadShedder.withPermit(bytes: 60, for: nil) {
            try await loadShedder.withPermit(bytes: 40, for: nil) {}
            await #expect(throws: Problem.self) { try await loadShedder.withPermit(bytes: 41, for: nil) {} }
        }

        #expect(loadShedder.requests == 0)
    }

    @Test func `the permit is released when the work fails`() async throws {
        let loadShedder = LoadShedder(maximumRequests: 1, maximumBytes: 10)

        await #expect(throws: CancellationError.self) {
            try await loadShedder.withPermit(bytes: 10, for: nil) { throw CancellationError() }
        }

        try await loadShedder.withPermit(bytes: 10, for: nil) {}
    }

    private static let crowd = ThrottleKey.email("crowd@example.org")
    private static let other = ThrottleKey.email("other@example.org")

    @Test func `many requests of one account leave room for others`() throws {
        let loadShedder = LoadShedder(maximumRequests: 64, maximumBytes: .max)
        var permits: [LoadShedder.Permit] = []

        for _ in 0..<32 { permits.append(try loadShedder.acquire(bytes: 1, for: Self.crowd)) }
        #expect(throws: Problem.self) { try loadShedder.acquire(bytes: 1, for: Self.crowd) }
        // Each other client gets its sixteenth, and no more.
        for _ in 0..<4 { permits.append(try loadShedder.acquire(bytes: 1, for: Self.other)) }
        #expect(throws: Problem.self) { try loadShedder.acquire(bytes: 1, for: Self.other) }

        permits.removeAll()
        permits.append(try loadShedder.acquire(bytes: 1, for: Self.crowd))
        #expect(loadShedder.requests == 1)
    }

    @Test func `large bodies of one account leave room for others`() throws {
        let loadShedder = LoadShedder(maximumRequests: 64, maximumBytes: 1000)
        let first = try loadShedder.acquire(bytes: 100, for: Self.crowd)
        try first.grow(toBytes: 500)
        #expect(throws: Problem.self) { try loadShedder.acquire(bytes: 1, for: Self.crowd) }

        // A client may send one body of any size, but a second one only within a quarter of the limit.
        let one = try loadShedder.acquire(bytes: 200, for: Self.other)
        try one.grow(toBytes: 400)
        #expect(throws: Problem.self) { try loadShedder.acquire(bytes: 1, for: Self.other) }
        #expect(throws: Problem.self) { try first.grow(toBytes: 1001) }
        #expect(loadShedder.requests == 2)
    }
}
