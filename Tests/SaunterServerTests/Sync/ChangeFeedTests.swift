import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct ChangeFeedTests {
    private static let path = "/v1/studies/mindful-walking/changes"

    @Test(arguments: ["after=100000000", "after=-1", "after=x", "cursor=x"])
    func `a position that the feed does not have is rejected`(_ query: String) async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            try await rosa.get("\(Self.path)?\(query)").expectProblem(400, "request-invalid")
        }
    }

    /// A time that is corrected by a clock error of thousands of years can be before year 1 or after year 9999.
    @Test(
        arguments: [
            ("9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"),
            ("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:00.000Z", "9999-12-31T23:59:59.999Z"),
        ] as [(JSON, JSON, JSON)])
    func `an instant outside of the years 1 to 9999 is returned as the first or last instant`(
        _ clock: JSON, _ moment: JSON, _ expected: JSON
    ) async throws {
        let times: JSON = ["client_now": clock, "started_at": moment]
        let sheet = SampleSheet.body("who_5", SampleSheet.who5, times.with(["completed_at": moment]))
        let pulse = SampleObservation.pulse.with(times).with([
            "ended_at": moment, "t_ms": [0], "components": [["unit": "/min", "values": [60]]],
        ])

        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.create("answer-sheets", sheet)
            _ = try await ada.create("observations", pulse)
            let participant = try await ada.get(ada.own("")).json["participant_id"]

            let changes = try await ada.researcher().pages("\(Self.path)?after=0&limit=1000")
                .filter { $0["participant_id"] == participant }
                .filter { ["answer_sheet", "observation"].contains($0["kind"]?.string) }

            #expect(changes.map { $0["body"]?["started_at"] } == [expected, expected])
        }
    }

    @Test func `the feed is for researchers of the study`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let rosa = try await ada.researcher()

            try await ada.get(Self.path).expectProblem(403, "not-permitted")
            try await rosa.get("/v1/studies/other/changes").expectProblem(404, "not-found")
            #expect(try await rosa.get("\(Self.path)?after=0").status == 200)
        }
    }
}
