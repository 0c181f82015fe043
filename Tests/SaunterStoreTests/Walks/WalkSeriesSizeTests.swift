import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct WalkSeriesSizeTests {
    /// One hour with a sample per second, as a watch records it: integer heart rates, speeds to 0.01, metres to 0.1.
    private static func hour(_ enrolment: EnrolmentID, _ number: Int) throws -> WalkSubmission {
        var random = SystemRandomNumberGenerator()
        var speed = 4.5
        var beats = 95.0
        var metres = 0.0
        var speeds: [Double] = []
        var rates: [Double] = []
        var distances: [Double] = []
        for _ in 0..<3600 {
            speed = min(7, max(2, speed + Double.random(in: -0.2...0.2, using: &random)))
            beats = min(150, max(60, beats + Double.random(in: -1.5...1.5, using: &random)))
            metres += speed / 3.6
            speeds.append((speed * 100).rounded() / 100)
            rates.append(beats.rounded())
            distances.append((metres * 10).rounded() / 10)
        }
        var walk = try WalkFixture.make(
            enrolment, endedAt: Instant.start.plus(hours: 2 + number), digest: [UInt8(number)])
        let endedAt = walk.walk.endedAt
        walk.walk = try Walk(
            startedAt: endedAt.adding(seconds: -3600), endedAt: endedAt, pauses: [],
            series: WalkSeries(
                tMs: (0..<3600).map { $0 * 1000 }, speedKmh: speeds, heartRateBpm: rates,
                distanceM: distances))
        return walk
    }

    @Test func `samples need a tenth of the disk that one row per sample needs, and are restored exactly`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol().id
            let empty = try await fixture.size(of: "research.walk")
            let walks = try (0..<20).map { try Self.hour(enrolment, $0) }
            for walk in walks {
                #expect(
                    try await fixture.store.submit([walk]) == [
                        .stored
                    ])
            }
            for walk in walks {
                let stored = try await fixture.store.findWalk(enrolment, walk.id)
                #expect(stored?.detail?.series == walk.walk.series)
            }
            try await fixture.run(
                """
                create table public.sample (enrolment_id uuid, walk_id uuid, t_ms integer, speed_kmh double precision,
                  heart_rate_bpm double precision, distance_m double precision, primary key (enrolment_id, walk_id, t_ms))
                """)
            try await fixture.run(
                """
                insert into public.sample
                select enrolment_id, walk_id, sample.* from research.walk
                cross join lateral unnest(t_ms, speed_kmh, heart_rate_bpm, sample_distance_m) as sample
                """)

            #expect(try await fixture.count("public.sample") == 72_000)
            let arrays = try await fixture.size(of: "research.walk") - empty
            let rows = try await fixture.size(of: "public.sample")
            #expect(arrays * 10 <= rows, "\(arrays) of \(rows) bytes")
        }
    }
}

extension StoreFixture {
    /// Bytes on disk, including indexes and TOAST tables.
    fileprivate func size(of table: String) async throws -> Int {
        try await value("select pg_total_relation_size('\(table)') as value")
    }
}
