import Testing

@testable import SaunterServer

@Suite struct AdmissionTests {
    @Test func `bytes are bounded, but one large body gets in alone`() async throws {
        let admission = Admission(maximumRequests: 10, maximumBytes: 100)

        _ = try await admission.hold(bytes: 1000, for: nil) {
            await #expect(throws: Problem.self) { try await admission.hold(bytes: 1, for: nil) {} }
        }
        try await admission.hold(bytes: 60, for: nil) {
            try await admission.hold(bytes: 40, for: nil) {}
            await #expect(throws: Problem.self) { try await admission.hold(bytes: 41, for: nil) {} }
        }

        #expect(admission.requests == 0)
    }

    @Test func `room is given back when the work fails`() async throws {
        let admission = Admission(maximumRequests: 1, maximumBytes: 10)

        await #expect(throws: CancellationError.self) {
            try await admission.hold(bytes: 10, for: nil) { throw CancellationError() }
        }

        try await admission.hold(bytes: 10, for: nil) {}
    }

    private static let crowd = ThrottleKey.email("crowd@example.org")
    private static let other = ThrottleKey.email("other@example.org")

    @Test func `a crowd of one account leaves room for all others`() throws {
        let admission = Admission(maximumRequests: 64, maximumBytes: .max)
        var held: [Admission.Pass] = []

        for _ in 0..<32 { held.append(try admission.admit(bytes: 1, for: Self.crowd)) }
        #expect(throws: Problem.self) { try admission.admit(bytes: 1, for: Self.crowd) }
        // Each has its sixteenth, whatever the crowd holds, and no more.
        for _ in 0..<4 { held.append(try admission.admit(bytes: 1, for: Self.other)) }
        #expect(throws: Problem.self) { try admission.admit(bytes: 1, for: Self.other) }

        held.removeAll()
        held.append(try admission.admit(bytes: 1, for: Self.crowd))
        #expect(admission.requests == 1)
    }

    @Test func `large bodies of one account leave room for all others`() throws {
        let admission = Admission(maximumRequests: 64, maximumBytes: 1000)
        let first = try admission.admit(bytes: 100, for: Self.crowd)
        try first.cover(bytes: 500)
        #expect(throws: Problem.self) { try admission.admit(bytes: 1, for: Self.crowd) }

        // One body gets in whatever its size; a second one only within a quarter of all.
        let one = try admission.admit(bytes: 200, for: Self.other)
        try one.cover(bytes: 400)
        #expect(throws: Problem.self) { try admission.admit(bytes: 1, for: Self.other) }
        #expect(throws: Problem.self) { try first.cover(bytes: 1001) }
        #expect(admission.requests == 2)
    }
}
