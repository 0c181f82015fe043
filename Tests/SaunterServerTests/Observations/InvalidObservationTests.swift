import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct InvalidObservationTests {
    /// A data point with a heart rate.
    private static func point(
        _ heartRate: JSON = ["value": 88, "unit": "beats/min"],
        at moment: JSON = .instant(ServerFixture.now), header changes: JSON = [:]
    ) -> JSON {
        SampleObservation.point("heart-rate", ["heart_rate": heartRate], at: moment, header: changes)
    }

    @Test(
        arguments: [
            (
                ["components": [["unit": "bpm", "values": [1, 2, 3, 4]]]],
                [
                    "/components/0/unit", "/components/0/values/0", "/components/0/values/1",
                    "/components/0/values/2", "/components/0/values/3",
                ]
            ),
            (["components": [["unit": "mm[Hg]", "values": [80, 80, 80, 80]]]], ["/components/0/unit"]),
            (["components": [["unit": "/min", "values": [80, 400, 80, 80]]]], ["/components/0/values/1"]),
            (["components": [["unit": "/min", "values": [80]]]], ["/components/0/values"]),
            (["components": [["unit": "/min", "values": [nil, nil, nil, nil]]]], ["/components"]),
            (["t_ms": [0, 20_000, 10_000, 30_000]], ["/t_ms/2"]),
            (["code": SampleObservation.loinc("8867-5")], ["/code/code"]),
            (
                ["ended_at": "2020-01-01T00:00:00.000Z"], ["/ended_at", "/t_ms/1", "/t_ms/2", "/t_ms/3"]
            ),
        ] as [(JSON, Set<String>)])
    func `a contradictory observation is rejected with every fault`(
        _ changes: JSON, _ pointers: Set<String>
    ) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("observations")

            let answer = try await ada.put(path, SampleObservation.pulse.with(changes))

            answer.expectProblem(422, "observation-invalid", pointers)
            try await ada.get(path).expectProblem(404, "not-found")
        }
    }

    @Test(arguments: [0, 1.5, "2"] as [JSON])
    func `a revision that is not a positive integer is rejected`(_ revision: JSON) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(
                ada.newRecord("observations"), SampleObservation.pulse.with(["revision": revision]))

            answer.expectProblem(422, "body-invalid", ["/revision"])
        }
    }

    @Test(arguments: [0, -1, 2.5, 1_000_001, 9.223372036854775808e18] as [JSON])
    func `a data point with an invalid revision is rejected`(_ revision: JSON) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.post(
                ada.own("/data-points"), Self.point(header: ["revision": revision]))

            let item = try #require(answer.json["items"]?.array?.first)
            let pointers = (item["problem"]?["errors"]?.array ?? []).map { $0["pointer"]?.string }
            #expect(item["result"] == "rejected")
            #expect(pointers == ["/header/revision"])
        }
    }

    @Test func `an invalid data point of a list is rejected separately`() async throws {
        let timeless: JSON = "2026-05-01T10:00:00"
        let wrongUnit: JSON = ["value": 88, "unit": "mmHg"]
        let points: JSON = [
            Self.point(at: timeless), Self.point(), Self.point(wrongUnit), [:], 7,
            Self.point(wrongUnit, at: timeless, header: ["revision": 0]),
        ]

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.post(ada.own("/data-points"), points)

            let items = try #require(answer.json["items"]?.array)
            let pointers = items.map { item in
                (item["problem"]?["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
            }
            #expect(
                items.map { $0["result"]?.string } == [
                    "rejected", "accepted", "rejected", "rejected", "rejected", "rejected",
                ])
            #expect(pointers[0].first == "/body/effective_time_frame")
            #expect(pointers[2].first == "/body/heart_rate")
            #expect(
                pointers[5] == ["/header/revision", "/body/effective_time_frame", "/body/heart_rate"])
        }
    }
}
