import Testing

@testable import SaunterServer

@Suite struct AdmissionTests {
    @Test func `bytes are bounded, but one large body gets in alone`() async throws {
        let admission = Admission(maximumRequests: 10, maximumBytes: 100)

        _ = try await admission.hold(bytes: 1000) {
            await #expect(throws: Problem.self) { try await admission.hold(bytes: 1) {} }
        }
        try await admission.hold(bytes: 60) {
            try await admission.hold(bytes: 40) {}
            await #expect(throws: Problem.self) { try await admission.hold(bytes: 41) {} }
        }

        #expect(admission.requests == 0)
    }

    @Test func `room is given back when the work fails`() async throws {
        let admission = Admission(maximumRequests: 1, maximumBytes: 10)

        await #expect(throws: CancellationError.self) {
            try await admission.hold(bytes: 10) { throw CancellationError() }
        }

        try await admission.hold(bytes: 10) {}
    }
}
