import Foundation
import HTTPTypes
import HummingbirdTesting
import SaunterCohort
import SaunterCore
import SaunterPacks
import Synchronization
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// Runs of a draft or a version with simulated participants.
@Suite struct DryRunRouteTests {
    private static let study = "mindful-walking"
    private static let path = "/v1/studies/\(study)/draft/dry-run?version=1.0.0"

    private static func body(_ changes: JSON = [:]) -> JSON {
        let body: JSON = ["participants": 6, "days": 9, "start": "2026-11-23", "seed": 4]
        return body.with(changes)
    }

    @Test func `the report is that of the simulation with the same options`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let rosa = try await caller.member(.editor, of: Self.study)
            let pack = try StudyPack.read(
                PackFiles(files: SamplePack.files("Questionnaires", Self.study)), study: Self.study)
            var behaviour = Behaviour()
            behaviour.adherence = 0.6
            let simulation = SimulationOptions(
                participants: 6, start: try #require(LocalDate("2026-11-23")), days: 9, behaviour: behaviour,
                seed: 4
            ).simulation(of: pack.study)
            let expected = JSON.object(simulation.summary(try await simulation.run(workers: 2)))

            let found = try await rosa.post(Self.path, Self.body(["adherence": 0.6, "participant": 2]))

            #expect(found.status == 200, "\(found.text)")
            for member in expected.object ?? [:] { #expect(found.json[member.name] == member.value) }
            #expect(found.json["shortened"] == .null && found.json["draft"] == false)
            let total = found.json["report"]?["total"]
            func sum(_ list: JSON?, _ name: String) -> Int {
                (list?.array ?? []).compactMap { $0[name]?.int }.reduce(0, +)
            }
            #expect(sum(found.json["days"], "open") == total?["prompts"]?.int)
            #expect(sum(found.json["days"], "answered") == total?["completed"]?.int)
            #expect(sum(found.json["messages"]?["hours"], "count") == total?["reminders"]?.int)
            #expect(sum(found.json["messages"]?["days"], "count") == total?["reminders"]?.int)
            #expect(sum(found.json["by_arm"], "participants") == 6)
            #expect(found.json["timeline"]?["participant"] == 2)
            let again = try await rosa.post(Self.path, Self.body(["adherence": 0.6, "participant": 2]))
            #expect(again.text == found.text)
            let other = try await rosa.post(Self.path, Self.body(["adherence": 0.6, "seed": 5]))
            #expect(other.json["report"] != found.json["report"])
        }
    }

    @Test func `a run that is too large is shortened, and stays the same for the same values`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let rosa = try await caller.member(.researcher, of: Self.study)
            let pack = try StudyPack.read(
                PackFiles(files: SamplePack.files("Questionnaires", Self.study)), study: Self.study)
            let options = SimulationOptions(
                participants: 500, start: try #require(LocalDate("2026-11-23")), seed: 4)
            let work = try await SimulationWork(of: options, in: pack.study)
            let run = work.largestRun(participants: 500)

            #expect(
                run.participants >= 20
                    && work.units(participants: run.participants, days: run.days) <= SimulationWork.limit)
            try await rosa.post(Self.path, Self.body(["participants": 501]))
                .expectProblem(422, "body-invalid", ["/participants"])
        }
    }

    @Test
    func `every member of the team may try it, others may not, and a blinded study needs sight of arms`()
        async throws
    {
        try await ServerFixture.withCaller { caller async throws in
            let small = Self.body(["participants": 1, "days": 1])
            for role in [Role.editor, .researcher, .coordinator] {
                let member = try await caller.member(role, of: Self.study)
                #expect(try await member.post(Self.path, small).status == 200)
            }
            let stranger = try await caller.member(.coordinator, of: "all-types")
            try await stranger.post(Self.path, small).expectProblem(404, "not-found")
            let hidden = "/v1/studies/hidden-arms/draft/dry-run?version=1.0.0"
            let seeing = try await caller.member(.researcher, of: "hidden-arms", seesArms: true)
            #expect(try await seeing.post(hidden, small).status == 200)
            let blinded = try await caller.member(.researcher, of: "hidden-arms")
            try await blinded.post(hidden, small).expectProblem(403, "arms-blinded")
        }
    }

    @Test func `every wrong value is a fault`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let rosa = try await caller.member(.researcher, of: Self.study)
            let wrong: JSON = [
                "participants": 0, "days": 0, "start": "tomorrow", "adherence": 1.1, "dropout": 0.98,
                "seed": -1, "participant": 501, "zone": "UTC",
            ]
            try await rosa.post(Self.path, wrong).expectProblem(
                422, "body-invalid",
                [
                    "/participants", "/days", "/start", "/adherence", "/dropout", "/seed", "/participant",
                    "/zone",
                ])
            try await rosa.post("/v1/studies/\(Self.study)/draft/dry-run?version=9.9.9", Self.body())
                .expectProblem(404, "not-found")
        }
    }

    @Test func `a draft is tried as it is, and its faults name file and line`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let code = "tried-diary"
            let path = "/v1/studies/\(code)/draft/dry-run"
            let rosa = try await caller.member(.editor, of: code)
            try await rosa.post(path, Self.body()).expectProblem(404, "not-found")
            var files = try SamplePack.diary(code)
            let account = try await rosa.account()
            let store = caller.server.store
            _ = try await store.saveDraft(
                files, of: code, basedOn: nil, expecting: nil, by: account, now: ServerFixture.now)

            let found = try await rosa.post(path, Self.body())

            #expect(found.status == 200 && found.json["draft"] == true, "\(found.text)")
            #expect(found.json["report"]?["total"]?["people"] == 6)
            files["studies/\(code)/study.yaml"]?.append("nonsense: 1\n")
            _ = try await store.saveDraft(
                files, of: code, basedOn: nil, expecting: 1, by: account, now: ServerFixture.now)
            let faulty = try await rosa.post(path, Self.body())
            faulty.expectProblem(422, "draft-invalid")
            #expect(faulty.text.contains("studies/\(code)/study.yaml:"))
        }
    }

    @Test func `the work on a request ends when the client closes the connection`() async throws {
        let (events, signal) = AsyncStream<String>.makeStream()
        var route = Route(
            .get, "/v1/studies", who: .anyone, tag: "Studies", summary: "Works until the client leaves",
            outcomes: [.json(.ok, "Never.", .map(of: .any))]
        ) { (_: Call<Anyone>) in
            signal.yield("started")
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                signal.yield("cancelled")
                throw error
            }
            return .json(.ok, [:])
        }
        route.stopsWithConnection = true
        let application = try SampleGateway.application(routes: [route])

        try await application.test(.live) { client async throws in
            let port = try #require(client.port)
            let left = Mutex(false)
            var found: [String] = []
            async let connection: Void = RawConnection.with(port: port) { connection in
                connection.send("GET /v1/studies HTTP/1.1\r\nHost: x\r\n\r\n")
                while !left.withLock({ $0 }) { usleep(10_000) }
            }
            for await event in events {
                found.append(event)
                guard event == "started" else { break }
                left.withLock { $0 = true }
            }
            try await connection
            #expect(found == ["started", "cancelled"])
        }
    }
}
