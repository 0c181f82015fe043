import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ObservationRouteTests {
    @Test func `an observation is stored once and returned as submitted`() async throws {
        let body = SampleObservation.pulse

        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("observations")
            let first = try await ada.put(path, body)
            let second = try await ada.put(path, body.with(["client_now": .instant(ServerFixture.now)]))
            let other = try await ada.put(path, body.with(["device": ["model": "Other"]]))
            let stored = try await ada.get(path).json

            #expect(first.status == 201)
            #expect(second.status == 200)
            #expect(first.json.with(["replayed": true]).canonicalText == second.json.canonicalText)
            let components: JSON = [
                [
                    "code": nil, "unit": "/min",
                    "summary": ["count": 3, "minimum": 80, "maximum": 90, "mean": 84.166667],
                ]
            ]
            #expect(first.json["components"]?.canonicalText == components.canonicalText)
            other.expectProblem(409, "id-reused")
            #expect(stored["components"]?.array?.first?["values"] == [80, 82.5, nil, 90])
            #expect(stored["t_ms"] == body["t_ms"])
            #expect(stored["device"] == body["device"])
            #expect(stored["flags"] == ["before_enrolment"])
        }
    }

    @Test func `a device that is null is no device`() throws {
        #expect(try ObservationBody(SampleObservation.pulse).device == ["model": "Band 3"])
        #expect(try ObservationBody(SampleObservation.pulse.with(["device": nil])).device?.isNull == nil)
    }

    @Test func `a batch can contain observations`() async throws {
        let items = [
            SampleBatch.item("observation", SampleObservation.pulse),
            SampleBatch.item("observation", SampleObservation.pulse.with(["t_ms": [1]])),
        ]

        try await ServerFixture.withParticipant { ada async throws in
            let first = try await ada.sync(items)
            let second = try await ada.sync(items)

            #expect(first.results == ["accepted", "rejected"])
            #expect(second.results == ["replayed", "rejected"])
        }
    }

    @Test func `the list has the newest observation first and no deleted ones`() async throws {
        let ids = (0..<3).map { _ in SampleBatch.newID() }

        try await ServerFixture.withParticipant { ada async throws in
            for (index, id) in ids.enumerated() {
                let moment = ServerFixture.now.adding(seconds: index * 60 - 600)
                _ = try await ada.create("observations", SampleObservation.pressure(at: moment), id: id)
            }
            _ = try await ada.create("observations", SampleObservation.pulse)
            let listed = try await ada.pages(ada.own("/observations?limit=1&code=85354-9"))
            #expect(listed.map { $0["observation_id"]?.string } == ids.reversed())

            let path = ada.own("/observations/\(ids[0])")
            #expect(try await ada.send(.delete, path).status == 204)

            try await ada.send(.delete, path).expectProblem(404, "not-found")
            try await ada.get(path).expectProblem(404, "not-found")
            #expect(try await ada.pages(ada.own("/observations?limit=100")).count == 3)
            let changes = try await ada.researcher()
                .pages("/v1/studies/mindful-walking/changes?after=0&limit=1000")
                .filter { ids.contains($0["id"]?.string ?? "") }
            let deleted = Dictionary(grouping: changes) { $0["id"]?.string ?? "" }
                .mapValues { $0.map { $0["deleted"] } }
            #expect(deleted == [ids[0]: [true], ids[1]: [false], ids[2]: [false]])
        }
    }

    @Test func `an erasure deletes the observations`() async throws {
        let id = SampleBatch.newID()

        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.create("observations", SampleObservation.pulse, id: id)
            #expect(try await ada.post(ada.own("/withdrawal"), ["mode": "erase"]).status == 204)

            let changes = try await ada.researcher()
                .pages("/v1/studies/mindful-walking/changes?after=0&limit=1000")

            #expect(!changes.contains { $0["id"]?.string == id })
        }
    }

    @Test func `after a withdrawal only observations from before it are stored`() async throws {
        let later = ServerFixture.now.adding(seconds: 60)

        try await ServerFixture.withParticipant { ada async throws in
            #expect(try await ada.post(ada.own("/withdrawal"), ["mode": "stop"]).status == 200)

            let rejected = try await ada.put(
                ada.newRecord("observations"), SampleObservation.pressure(at: later))
            let stored = try await ada.put(ada.newRecord("observations"), SampleObservation.pulse)

            rejected.expectProblem(409, "enrolment-withdrawn")
            #expect(stored.status == 201)
        }
    }
}
