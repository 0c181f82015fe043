import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct OtherSportTests {
    @Test func `a ride is stored with its sport and a flag`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("walks")

            let answer = try await ada.put(path, SampleWalk.body(["sport": "cycling"]))
            let stored = try await ada.get(path)

            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["flags"]?.array?.contains("not_a_walk") == true)
            #expect(stored.json["sport"] == "cycling")
            #expect(stored.json["flags"] == answer.json["flags"])
        }
    }

    @Test(arguments: ["walking", "hiking", "running", "wheelchair", nil] as [String?])
    func `a walk has no such flag`(sport: String?) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let body = SampleWalk.body(["sport": .optional(sport, JSON.string)])

            let answer = try await ada.put(ada.newRecord("walks"), body)

            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["sport"] == .optional(sport, JSON.string))
            #expect(answer.json["flags"]?.array?.contains("not_a_walk") == false)
        }
    }

    @Test func `a study can refuse other sports`() async throws {
        try await ServerFixture.withParticipant(in: "all-types") { ada async throws in
            let path = ada.newRecord("walks")

            try await ada.put(path, SampleWalk.body(["sport": "swimming"]))
                .expectProblem(422, "walk-invalid", ["/sport"])
            let walk = try await ada.put(path, SampleWalk.body(["sport": "hiking"]))

            #expect(walk.status == 201, "\(walk.text)")
        }
    }
}
