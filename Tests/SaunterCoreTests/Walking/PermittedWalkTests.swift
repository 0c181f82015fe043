import Testing

@testable import SaunterCore

@Suite struct PermittedWalkTests {
    private static func walk() throws -> Walk {
        let start = try at("2026-11-21T10:00:00Z")
        return try Walk(
            startedAt: start, endedAt: start.adding(seconds: 60),
            pauses: [WalkPause(from: start.adding(seconds: 10), to: start.adding(seconds: 20))],
            totals: WalkTotals(
                distanceM: 80, activeEnergyKcal: 5, meanHeartRateBpm: 90, maxHeartRateBpm: 100),
            series: WalkSeries(
                tMs: [0, 30_000, 60_000], speedKmh: [4, 5, 4], heartRateBpm: [90, 95, 100],
                distanceM: [0, 40, 80]))
    }

    @Test func `forbidden series and totals are dropped before the walk is summarised`() throws {
        let permitted = PermittedWalk(try Self.walk(), without: [.heartRate])
        let summary = WalkSummary(of: permitted.walk)

        #expect(permitted.walk.series?.heartRateBpm == nil)
        #expect(permitted.walk.totals == WalkTotals(distanceM: 80, activeEnergyKcal: 5))
        #expect(permitted.walk.pauses == (try Self.walk().pauses))
        #expect(permitted.flags.map(\.rawValue) == ["no_consent_heart_rate_bpm"])
        #expect(summary.meanHeartRateBpm == nil && summary.maxHeartRateBpm == nil && summary.coverage == nil)
        #expect(summary.distanceM == WalkSummary(of: try Self.walk()).distanceM)
    }

    @Test func `a total without a series is dropped as well`() throws {
        let permitted = PermittedWalk(try Self.walk(), without: [.energy])

        #expect(permitted.walk.totals?.activeEnergyKcal == nil)
        #expect(permitted.dropped == [.energy])
    }

    @Test func `without any series no times are left`() throws {
        let permitted = PermittedWalk(
            try Self.walk(), without: Set(DataKind.WalkSeries.allCases))

        #expect(permitted.walk.series == nil && permitted.walk.totals == WalkTotals())
        #expect(permitted.dropped == DataKind.WalkSeries.allCases)
        #expect(
            permitted.flags == [.noConsentSpeed, .noConsentHeartRate, .noConsentDistance, .noConsentEnergy])
    }

    @Test func `a walk without the series is unchanged and has no flag`() throws {
        let start = try at("2026-11-21T10:00:00Z")
        let walk = try Walk(startedAt: start, endedAt: start.adding(seconds: 60))

        let permitted = PermittedWalk(walk, without: [.heartRate])

        #expect(permitted.walk == walk && permitted.flags == [])
    }

    @Test func `each series has its own flag and totals`() {
        let series = DataKind.WalkSeries.allCases

        #expect(Set(series.map(\.flag)).count == series.count)
        #expect(series.allSatisfy { $0.flag.rawValue == "no_consent_\($0.rawValue)" })
        #expect(Set(series.flatMap(\.totals)).count == 4)
    }
}
