import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The walks of a study for its team.
@Suite struct StudyWalkTests {
    private static let path = "/v1/studies/mindful-walking/walks"

    private static func pseudonym(_ caller: APICaller) async throws -> String {
        try #require(try await caller.get(caller.own("")).json["participant_id"]?.string)
    }

    @Test func `a walk has the values of the participant's own route`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let id = SampleBatch.newID()
            _ = try await ada.create("walks", SampleWalk.body(), id: id)
            let own = try await ada.get(ada.own("/walks/\(id)")).json
            let name = try await Self.pseudonym(ada)
            let rosa = try await ada.researcher()

            let listed = try #require(
                try await rosa.pages("\(Self.path)?participant=\(name)&limit=10").first)
            let detail = try await rosa.get(
                "/v1/studies/mindful-walking/participants/\(name)/walks/\(id)"
            ).json

            for member in ["walk_id", "started_at", "ended_at", "received_at", "flags", "summary"] {
                #expect(listed[member] == own[member] && detail[member] == own[member], "\(member)")
            }
            #expect(detail["series"] == own["series"] && detail["pauses"] == own["pauses"])
            #expect(listed["participant_id"]?.string == name && listed["study_day"]?.int == 0)
            // The description of the device needs the right to the profile `full`.
            #expect(own["device"]?["model"]?.string == "Paper Watch" && detail["device"]?.isNull == true)
            let reader = try await ada.server.makeLogin(
                Grant(role: .researcher, study: "mindful-walking", fullExport: true))
            var full = ada
            full.token = reader.accessToken
            let read = try await full.get("/v1/studies/mindful-walking/participants/\(name)/walks/\(id)")
            #expect(read.json["device"] == own["device"])
        }
    }

    @Test func `filters select the arm, the flag and the dates, and pages together are the list`()
        async throws
    {
        try await ServerFixture.withParticipant { ada async throws in
            for _ in 0..<3 { _ = try await ada.create("walks", SampleWalk.body()) }
            let name = try await Self.pseudonym(ada)
            let rosa = try await ada.researcher()
            let all = "\(Self.path)?participant=\(name)"
            let ids = try await rosa.pages("\(all)&limit=2").compactMap { $0["walk_id"]?.string }
            let first = try #require(try await rosa.pages("\(all)&limit=2").first)
            let date = try #require(first["local_date"]?.string.flatMap { LocalDate($0) })
            let arm = try #require(first["arm"]?.string)

            #expect(ids.count == 3 && ids == ids.sorted(by: >))
            #expect(try await rosa.pages("\(all)&arm=\(arm)&limit=2").count == 3)
            #expect(try await rosa.pages("\(all)&arm=nothing&limit=2").isEmpty)
            #expect(try await rosa.pages("\(all)&from=\(date)&to=\(date)&limit=2").count == 3)
            #expect(try await rosa.pages("\(all)&to=\(date.adding(days: -1))&limit=2").isEmpty)
            #expect(try await rosa.pages("\(all)&flag=calibration_missing&limit=2").count == 3)
            #expect(try await rosa.pages("\(all)&flag=not_a_walk&limit=2").isEmpty)
            #expect(try await rosa.pages("\(Self.path)?participant=UNKNOWN&limit=2").isEmpty)
        }
    }

    @Test func `a list of many days has the walks before its last days, on pages of any size`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            for _ in 0..<3 { _ = try await ada.create("walks", SampleWalk.body()) }
            let rosa = try await ada.researcher()
            let name = try await Self.pseudonym(ada)
            let listed = try await rosa.pages("\(Self.path)?participant=\(name)&limit=10")
            let date = try #require(listed.first?["local_date"]?.string.flatMap { LocalDate($0) })

            // The last days of these lists have no walk of the participant, or only these walks.
            for later in [0, 2, 3, 80] {
                let dates = "from=\(date.adding(days: -5))&to=\(date.adding(days: later))"
                for limit in [2, 50] {
                    let found = try await rosa.pages("\(Self.path)?\(dates)&limit=\(limit)")
                        .filter { $0["participant_id"]?.string == name }
                    #expect(
                        found.map { $0["walk_id"] } == listed.map { $0["walk_id"] }, "\(later) \(limit)")
                }
            }
        }
    }

    @Test(arguments: [
        "from=2026-01-01&to=2026-04-03", "from=2026-02-02&to=2026-02-01", "flag=odd", "cursor=x",
    ])
    func `a query that cannot be answered is rejected`(query: String) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let rosa = try await ada.researcher()
            try await rosa.get("\(Self.path)?\(query)").expectProblem(400, "request-invalid")
            #expect(try await rosa.get("\(Self.path)?from=2026-01-01&to=2026-04-02").status == 200)
        }
    }

    @Test func `deleted walks and walks of excluded participants are not found`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let (kept, deleted) = (SampleBatch.newID(), SampleBatch.newID())
            for id in [kept, deleted] { _ = try await ada.create("walks", SampleWalk.body(), id: id) }
            _ = try await ada.send(.delete, ada.own("/walks/\(deleted)"))
            let name = try await Self.pseudonym(ada)
            let rosa = try await ada.researcher()
            let base = "/v1/studies/mindful-walking/participants/\(name)/walks"

            #expect(
                try await rosa.pages("\(Self.path)?participant=\(name)&limit=9").map { $0["walk_id"]?.string }
                    == [
                        kept
                    ])
            try await rosa.get("\(base)/\(deleted)").expectProblem(404, "not-found")
            #expect(try await rosa.get("\(base)/\(kept)").status == 200)
            _ = try await ada.post(ada.own("/withdrawal"), ["mode": "exclude"])
            #expect(try await rosa.pages("\(Self.path)?participant=\(name)&limit=9").isEmpty)
            try await rosa.get("\(base)/\(kept)").expectProblem(404, "not-found")
        }
    }
}
