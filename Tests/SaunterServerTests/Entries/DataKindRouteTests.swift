import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Permissions for kinds of data: places, heart rates of walks, and observations.
@Suite struct DataKindRouteTests {
    private typealias Entry = SampleEntry

    private static func with(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withParticipant(in: Entry.study, body)
    }

    private static let observation: JSON = [
        "code": ["system": "http://loinc.org", "code": "8867-4"],
        "started_at": .instant(ServerFixture.now), "ended_at": .instant(ServerFixture.now),
        "time_zone": "Europe/Berlin", "client_now": .instant(ServerFixture.now), "t_ms": [0],
        "components": [["unit": "/min", "values": [72]]],
    ]

    // MARK: Permissions

    @Test func `a study names its kinds of data with the question that asks for permission`() async throws {
        try await Self.with { ada async throws in
            let study = try await ada.get("/v1/studies/small-steps")

            #expect(
                study.json["data_kinds"]?.array?.first == [
                    "data_kind": "location", "title": "Place", "text": "May we store where you are?",
                    "walk_series": [],
                ])
        }
    }

    @Test func `a permission is shown with its beginning, and a repeated one keeps it`() async throws {
        try await Self.with { ada async throws in
            let enrolment = try await ada.get(ada.own(""))
            let granted = try await ada.permit(["location": true])
            let repeated = try await ada.permit(["location": true, "heart_rate": false])
            let revoked = try await ada.permit(["location": false])

            #expect(enrolment.json["data_kinds"] == ["location": nil, "heart_rate": nil])
            let since: JSON = ["granted_at": .instant(ServerFixture.now)]
            #expect(granted.json["data_kinds"] == ["location": since, "heart_rate": nil])
            #expect(repeated.json["data_kinds"] == granted.json["data_kinds"])
            #expect(revoked.json["data_kinds"] == enrolment.json["data_kinds"])
        }
    }

    @Test func `an unknown kind is rejected with the other faults`() async throws {
        try await Self.with { ada async throws in
            let answer = try await ada.send(
                .patch, ada.own(""), ["data_kinds": ["place": true, "location": true], "language": "fr"])

            answer.expectProblem(422, "body-invalid", ["/data_kinds/place", "/language"])
            #expect(try await ada.get(ada.own("")).json["data_kinds"]?["location"]?.isNull == true)
        }
    }

    @Test func `permissions can be given when joining`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            var ada = caller
            ada.token = try await caller.server.makeLogin().accessToken
            func join(_ kinds: JSON) async throws -> Answer {
                try await ada.post(
                    "/v1/studies/small-steps/enrolments",
                    [
                        "consent": ["version": "1.0.0", "accepted": true], "time_zone": "Europe/Berlin",
                        "data_kinds": kinds,
                    ])
            }

            let invalid = try await join(["place": true])
            let joined = try await join(["location": true, "heart_rate": false])

            invalid.expectProblem(422, "body-invalid", ["/data_kinds/place"])
            #expect(joined.status == 201 && joined.json["data_kinds"]?["heart_rate"]?.isNull == true)
            #expect(joined.json["data_kinds"]?["location"]?["granted_at"] == .instant(ServerFixture.now))
        }
    }

    // MARK: Answers

    @Test func `without permission the place is cleared, and with it the place is rounded`() async throws {
        try await Self.with { ada async throws in
            let before = try await ada.submit(Entry.mood(5, Entry.place, minutes: 1))
            _ = try await ada.permit(["location": true])
            let after = try await ada.submit(Entry.mood(5, Entry.place))

            #expect(before.receipt["cleared"] == ["place"] && after.receipt["cleared"] == [])
            let cleared = try await ada.sheet(before.id)
            #expect(cleared["answers"] == ["mood": 5] && cleared["reasons"]?["place"] == "no_consent")
            #expect(
                try await ada.sheet(after.id)["answers"]?["place"]
                    == ["lat": 52.52, "lon": 13.4, "accuracy_m": 30])
        }
    }

    @Test func `a correction does not add a place that was not permitted`() async throws {
        try await Self.with { ada async throws in
            let (id, _) = try await ada.submit(Entry.mood(5, Entry.place, minutes: 1))
            _ = try await ada.permit(["location": true])

            let corrected = try await ada.send(
                .patch, ada.own("/answer-sheets/\(id)"), ["answers": Entry.place.with(["mood": 6])])

            #expect(corrected.status == 200)
            #expect(corrected.json["answers"] == ["mood": 6] && corrected.json["cleared"] == ["place"])
        }
    }

    // MARK: Walks and observations

    @Test func `without permission the heart rate of a walk is dropped and flagged`() async throws {
        try await Self.with { ada async throws in
            let walk = try await ada.create(
                "walks", SampleWalk.body(["totals": ["mean_heart_rate_bpm": 100, "distance_m": 600]]))

            #expect(walk["flags"]?.array?.contains("no_consent_heart_rate_bpm") == true)
            #expect(walk["summary"]?["mean_heart_rate_bpm"]?.isNull == true)
            #expect(walk["summary"]?["distance_m"]?.isNull == false)
            let id = try #require(walk["walk_id"]?.string)
            let stored = try await ada.get(ada.own("/walks/\(id)")).json
            #expect(stored["series"]?["heart_rate_bpm"]?.isNull ?? true)
            #expect(stored["totals"]?["mean_heart_rate_bpm"]?.isNull ?? true)
        }
    }

    @Test func `without permission an observation is rejected, alone and in an upload`() async throws {
        try await Self.with { ada async throws in
            let alone = try await ada.put(ada.newRecord("observations"), Self.observation)
            let upload = try await ada.sync([SampleBatch.item("observation", Self.observation)])
            _ = try await ada.permit(["heart_rate": true])
            let permitted = try await ada.put(ada.newRecord("observations"), Self.observation)

            alone.expectProblem(422, "observation-invalid", ["/code"])
            #expect(alone.json["errors"]?.array?.first?["code"] == "no_consent")
            #expect(upload.results == ["rejected"])
            #expect(permitted.status == 201)
        }
    }

    // MARK: Deletion

    @Test func `the data of a kind can be deleted for good`() async throws {
        try await Self.with { ada async throws in
            _ = try await ada.permit(["location": true, "heart_rate": true])
            let (id, _) = try await ada.submit(Entry.mood(5, Entry.place))
            let observation = ada.newRecord("observations")
            _ = try await ada.put(observation, Self.observation)

            let place = try await ada.send(.delete, ada.own("/data-kinds/location"))
            let rate = try await ada.send(.delete, ada.own("/data-kinds/heart_rate"))
            let again = try await ada.send(.delete, ada.own("/data-kinds/heart_rate"))

            #expect([place.status, rate.status, again.status] == [204, 204, 204])
            let sheet = try await ada.sheet(id)
            #expect(sheet["answers"] == ["mood": 5] && sheet["reasons"]?["place"] == "no_consent")
            #expect(sheet["cleared"] == ["place"])
            (try await ada.get(observation)).expectProblem(404, "not-found")
            #expect(
                try await ada.get(ada.own("")).json["data_kinds"] == ["location": nil, "heart_rate": nil])
            // A correction of an earlier day brings nothing back.
            let corrected = try await ada.send(
                .patch, ada.own("/answer-sheets/\(id)"), ["answers": Entry.place])
            #expect(corrected.json["answers"] == ["mood": 5])
        }
    }

    @Test func `an unknown kind cannot be deleted, nor the kind of another participant`() async throws {
        try await Self.with { ada async throws in
            let ben = try await ada.newParticipant(in: Entry.study)
            let unknown = try await ada.send(.delete, ada.own("/data-kinds/place"))
            let foreign = try await ada.send(.delete, ben.own("/data-kinds/location"))

            unknown.expectProblem(404, "not-found", [])
            foreign.expectProblem(404, "not-found", [])
        }
    }
}
