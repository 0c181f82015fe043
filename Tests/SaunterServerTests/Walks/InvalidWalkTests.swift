import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct InvalidWalkTests {
    @Test(arguments: InvalidWalk.all)
    func `a contradictory walk is rejected with every fault`(_ walk: InvalidWalk) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("walks")

            let answer = try await ada.put(path, walk.body)

            answer.expectProblem(422, "walk-invalid", walk.pointers)
            try await ada.get(path).expectProblem(404, "not-found")
        }
    }

    @Test(
        arguments: [
            ([(100, 200), (150, 250)], ["/pauses/1/from"]),
            ([(100, 200), (120, 130), (300, 250)], ["/pauses/1/from", "/pauses/2/to"]),
            ([(-10, 20)], ["/pauses/0/from"]),
            ([(590, 601)], ["/pauses/0/to"]),
        ] as [([(Int, Int)], Set<String>)])
    func `pauses must be inside the walk and must not overlap`(
        _ spans: [(Int, Int)], _ pointers: Set<String>
    ) async throws {
        let pauses = JSON.array(spans.map { SampleWalk.pause($0.0, $0.1) })

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(
                ada.newRecord("walks"), SampleWalk.body(["pauses": pauses, "series": nil]))

            answer.expectProblem(422, "walk-invalid", pointers)
        }
    }

    @Test func `equal pauses count once, and adjacent pauses are joined`() async throws {
        let pauses = JSON.array(
            [(100, 200), (100, 200), (200, 230), (300, 300)].map { SampleWalk.pause($0.0, $0.1) })

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(
                ada.newRecord("walks"), SampleWalk.body(["pauses": pauses, "series": nil]))

            #expect(answer.status == 201, "\(answer.text)")
            let summary = answer.json["summary"]
            #expect(summary?["active_s"] == .int(SampleWalk.elapsedSeconds - 130))
            #expect(summary?["distance_m"] == JSON.null)
            #expect(summary?["coverage"] == JSON.null)
        }
    }

    @Test(
        arguments: [
            (#""speed_kmh":[3.6"#, #""speed_kmh":[NaN"#, 400),
            (#""speed_kmh":[3.6"#, #""speed_kmh":[1e400"#, 422),
            (#""speed_kmh":[3.6"#, #""speed_kmh":["fast""#, 422),
            (#""speed_kmh":[3.6"#, #""speed_kmh":[[3.6]"#, 422),
            (#""speed_kmh":[3.6"#, #""speed_kmh":["# + String(repeating: "9", count: 60), 400),
            (#""t_ms":[0,10000"#, #""t_ms":[0,1.5"#, 422),
            (#""t_ms":[0,10000"#, #""t_ms":[0,9223372036854775808"#, 422),
            (#""t_ms":[0,10000"#, #""t_ms":[0,-9223372036854775808"#, 422),
            // 2^200
            (
                #""t_ms":[0,10000"#,
                #""t_ms":[0,1606938044258990275541962092341162602522202993782792835301376"#, 400
            ),
        ])
    func `a value of a wrong type is rejected`(_ old: String, _ new: String, _ status: Int) async throws {
        let text = SampleWalk.body().text
        let changed = text.replacingOccurrences(of: old, with: new)
        #expect(changed != text)

        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("walks")

            let answer = try await ada.put(path, text: changed)

            answer.expectProblem(status, status == 400 ? "body-unreadable" : "body-invalid")
            try await ada.get(path).expectProblem(404, "not-found")
        }
    }

    @Test func `a column with more than 100,000 samples is rejected`() async throws {
        let times = JSON.array((0...100_000).map(JSON.int))
        let walk = SampleWalk.body(["series": SampleWalk.series.with(["t_ms": times])])

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(ada.newRecord("walks"), walk)

            answer.expectProblem(422, "body-invalid")
        }
    }
}

/// A walk, and the pointers of its faults.
struct InvalidWalk: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: JSON
    let pointers: Set<String>

    private static func walk(_ title: String, _ changes: JSON, _ pointers: Set<String>) -> InvalidWalk {
        InvalidWalk(testDescription: title, body: SampleWalk.body(changes), pointers: pointers)
    }

    private static func series(_ title: String, _ changes: JSON, _ pointers: Set<String>) -> InvalidWalk {
        walk(title, ["series": SampleWalk.series.with(changes)], pointers)
    }

    /// A walk with one other value in its series.
    private static func sample(
        _ title: String, _ column: String, _ index: Int, _ value: JSON, others: Set<String> = []
    ) -> InvalidWalk {
        InvalidWalk(
            testDescription: title, body: SampleWalk.body(column: column, index, value),
            pointers: others.union(["/series/\(column)/\(index)"]))
    }

    private static let day = 86_400

    static let all = [
        walk(
            "it ends before it starts",
            ["ended_at": SampleWalk.instant(600 - day), "pauses": [], "series": nil], ["/ended_at"]),
        walk("it lasts three days", ["ended_at": SampleWalk.instant(600 + 3 * day)], ["/ended_at"]),
        walk(
            "it ends when it starts", ["ended_at": SampleWalk.instant(0), "pauses": [], "series": nil],
            ["/ended_at"]),
        series("a column of another length", ["heart_rate_bpm": [100, 101]], ["/series/heart_rate_bpm"]),
        series(
            "several columns of another length", ["heart_rate_bpm": [], "distance_m": [0]],
            ["/series/heart_rate_bpm", "/series/distance_m"]),
        sample("a distance that decreases", "distance_m", 5, 1.0),
        sample("a negative distance", "distance_m", 0, -1),
        sample("an energy that decreases", "active_energy_kcal", 9, 0),
        sample("a heart rate of 0", "heart_rate_bpm", 3, 0),
        sample("a heart rate of 400", "heart_rate_bpm", 3, 400),
        sample("a heart rate of 1e308", "heart_rate_bpm", 3, 1e308),
        sample("the speed of a train", "speed_kmh", 3, 140),
        sample("a negative speed", "speed_kmh", 3, -1),
        sample("times that decrease", "t_ms", 4, 5000),
        sample("a duplicate time", "t_ms", 4, 30_000),
        sample("a sample after the end", "t_ms", 37, 600_001),
        sample("a sample before the start", "t_ms", 0, -1),
        walk(
            "invalid totals", ["totals": ["max_heart_rate_bpm": 400, "distance_m": 1e9]],
            ["/totals/max_heart_rate_bpm", "/totals/distance_m"]),
        walk(
            "an unknown calibration", ["calibration_id": "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f45"],
            ["/calibration_id"]),
    ]
}
