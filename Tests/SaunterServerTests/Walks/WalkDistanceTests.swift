import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct WalkDistanceTests {
    /// The distance before the first sample counts. The value of an odometer before the walk does not.
    @Test(arguments: [([90, 115, 140, 190], 190), ([7090, 7115, 7140, 7190], 100)] as [(JSON, JSON)])
    func `a series of distances counts from the start`(_ metres: JSON, _ expected: JSON) async throws {
        let start = ServerFixture.now.adding(seconds: -1300)
        let walk: JSON = [
            "started_at": .instant(start), "ended_at": .instant(start.adding(seconds: 1200)),
            "time_zone": .string(ServerFixture.zone.id), "pauses": [],
            "series": ["t_ms": [60_000, 300_000, 600_000, 1_200_000], "distance_m": metres],
        ]

        try await ServerFixture.withParticipant { ada async throws in
            let receipt = try await ada.create("walks", walk)

            #expect(receipt["summary"]?["distance_m"] == expected)
        }
    }
}
