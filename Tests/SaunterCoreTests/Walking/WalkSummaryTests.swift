import Testing

@testable import SaunterCore

/// All expected numbers are computed by hand from the definitions.
@Suite("Walk summary")
struct WalkSummaryTests {
    private let start = Instant(milliseconds: 1_777_896_000_000)

    private func summary(
        seconds: Int, pauses: [(Int, Int)] = [], totals: WalkTotals? = nil, series: WalkSeries? = nil,
        target: Double? = nil
    ) throws -> WalkSummary {
        let walk = try Walk(
            startedAt: start, endedAt: start.adding(seconds: seconds),
            pauses: pauses.map {
                WalkPause(from: start.adding(seconds: $0.0), to: start.adding(seconds: $0.1))
            },
            totals: totals, series: series)
        return WalkSummary(of: walk, targetSpeedKmh: target)
    }

    @Test func `without measurements there are only times`() throws {
        let summary = try summary(seconds: 600, pauses: [(100, 160), (160, 200)])

        #expect(summary.elapsedS == 600)
        #expect(summary.activeS == 500)
        let measured = [
            summary.distanceM, summary.meanSpeedKmh, summary.meanPaceSPerKm, summary.meanHeartRateBpm,
            summary.maxHeartRateBpm, summary.activeEnergyKcal, summary.targetSpeedKmh, summary.aboveTargetS,
            summary.coverage,
        ]
        #expect(measured.allSatisfy { $0 == nil })
        #expect(summary.aboveTargetCount == nil)
    }

    @Test func `speed is distance / active time, and pace is the inverse`() throws {
        let series = WalkSeries(tMs: [0, 300_000, 600_000], distanceM: [10, 410, 710])

        let summary = try summary(seconds: 600, pauses: [(0, 0)], series: series)

        // 700 m in 600 s.
        #expect(summary.distanceM == 700)
        #expect(summary.meanSpeedKmh == 4.2)
        #expect(summary.meanPaceSPerKm == 857.1)
    }

    @Test func `distance covered in a pause does not count`() throws {
        let series = WalkSeries(
            tMs: [0, 100_000, 200_000, 300_000, 400_000], distanceM: [0, 120, 200, 260, 380])

        let summary = try summary(seconds: 400, pauses: [(100, 300)], series: series)

        // 120 m before and 120 m after the pause; the 140 m in the pause are left out.
        #expect(summary.distanceM == 240)
        #expect(summary.activeS == 200)
        #expect(summary.meanSpeedKmh == 4.32)
    }

    @Test func `a device that stops in pauses loses no distance`() throws {
        // Samples each second at 1.2 m/s; a pause from 10.5 s to 70.5 s without samples.
        let before = (0...10).map { ($0 * 1000, Double($0) * 1.2) }
        let after = (0...10).map { (71_000 + $0 * 1000, 13.2 + Double($0) * 1.2) }
        let all = before + after
        let series = WalkSeries(tMs: all.map(\.0), distanceM: all.map(\.1))
        let walk = try Walk(
            startedAt: start, endedAt: start.adding(seconds: 81),
            pauses: [
                WalkPause(from: start.adding(milliseconds: 10_500), to: start.adding(milliseconds: 70_500))
            ], series: series)

        #expect(WalkSummary(of: walk).distanceM == 25.2)
    }

    @Test func `a device that continues counting in a pause adds at most twice the rate of the walk`() throws
    {
        // 1 m/s. The span without samples from 10 s to 80 s has 10 active seconds and 200 m, of which 20 m count.
        let series = WalkSeries(
            tMs: [0, 10_000, 80_000, 90_000], distanceM: [0, 10, 210, 220])

        let summary = try summary(seconds: 90, pauses: [(20, 80)], series: series)

        #expect(summary.distanceM == 40)
    }

    @Test func `if every interval has a pause, growth is distributed by time`() throws {
        let series = WalkSeries(tMs: [0, 100_000], distanceM: [0, 100], activeEnergyKcal: [0, 8])

        let summary = try summary(seconds: 100, pauses: [(50, 75)], series: series)

        #expect(summary.distanceM == 75)
        #expect(summary.activeEnergyKcal == 6)
    }

    @Test func `distance before the first sample counts, and an odometer's earlier distance does not`() throws
    {
        // 2 m/s. Some devices round the time of a sample down to a full second: 2.2 m at 0 s belong to the first
        // second. 87.6 m in 21 s are not possible at 15 km/h.
        let earlyDistance = WalkSeries(tMs: [0, 10_000], distanceM: [2.2, 22.2])
        let late = WalkSeries(tMs: [20_000, 30_000], distanceM: [40, 60])
        let odometer = WalkSeries(tMs: [20_000, 30_000], distanceM: [87.6, 107.6])

        #expect(try summary(seconds: 30, series: earlyDistance).distanceM == 22.2)
        #expect(try summary(seconds: 30, series: late).distanceM == 60)
        #expect(try summary(seconds: 30, series: odometer).distanceM == 20)
    }

    @Test func `the first distance of a walk with a fast beginning counts`() throws {
        let brisk = WalkSeries(tMs: [60_000, 300_000, 600_000], distanceM: [90, 115, 140])
        // Every interval contains a part of a pause.
        let sparse = WalkSeries(tMs: [60_000, 600_000], distanceM: [90, 190])
        let energy = WalkSeries(tMs: [60_000, 600_000], activeEnergyKcal: [12, 20])
        // At 15 km/h, 254 m are possible in the 61 s before the first sample. A longer distance was measured before the
        // walk.
        let odometer = WalkSeries(tMs: [60_000, 600_000], distanceM: [255, 265])

        #expect(try summary(seconds: 600, series: brisk).distanceM == 140)
        #expect(try summary(seconds: 600, pauses: [(100, 340)], series: sparse).distanceM == 145.56)
        #expect(try summary(seconds: 600, series: energy).activeEnergyKcal == 20)
        #expect(try summary(seconds: 600, series: odometer).distanceM == 10)
    }

    @Test func `without distances, speeds are integrated without gaps longer than 30 s`() throws {
        // 3.6 km/h = 1 m/s for 10 s and for 30 s; the last sample is valid for no time.
        let series = WalkSeries(tMs: [0, 10_000, 40_001, 70_001], speedKmh: [3.6, 7.2, 3.6, 50])

        let summary = try summary(seconds: 100, series: series)

        #expect(summary.distanceM == 40)
    }

    @Test func `a single distance is not enough: speeds are used, then the totals`() throws {
        let speeds = WalkSeries(tMs: [0, 10_000], speedKmh: [3.6, 3.6], distanceM: [nil, 500])
        let none = WalkSeries(tMs: [0, 10_000], distanceM: [nil, 500])

        #expect(try summary(seconds: 100, totals: WalkTotals(distanceM: 99), series: speeds).distanceM == 10)
        #expect(try summary(seconds: 100, totals: WalkTotals(distanceM: 99), series: none).distanceM == 99)
    }

    @Test func `the mean heart rate is weighted by time`() throws {
        // 100 for 10 s, 110 for 10 s; between them is a gap of 90 s.
        let series = WalkSeries(tMs: [0, 10_000, 100_000, 110_000], heartRateBpm: [100, 120, 110, 90])

        let summary = try summary(seconds: 200, series: series)

        #expect(summary.meanHeartRateBpm == 105)
        #expect(summary.maxHeartRateBpm == 120)
        #expect(summary.coverage == 0.1)
    }

    @Test func `paused time does not count for the heart rate`() throws {
        // 100 for 10 s until the pause; 180 is in the pause; 130 for 10 s after it.
        let series = WalkSeries(tMs: [0, 12_000, 20_000, 30_000], heartRateBpm: [100, 180, 130, 90])

        let summary = try summary(seconds: 30, pauses: [(10, 20)], series: series)

        #expect(summary.meanHeartRateBpm == 115)
        #expect(summary.maxHeartRateBpm == 130)
        #expect(summary.coverage == 1)
    }

    @Test func `a missing value between two samples is bridged`() throws {
        let series = WalkSeries(tMs: [0, 5_000, 10_000, 20_000], heartRateBpm: [100, nil, 120, 90])

        // 100 for 10 s, 120 for 10 s.
        #expect(try summary(seconds: 20, series: series).meanHeartRateBpm == 110)
    }

    @Test func `a single heart rate is the mean, with a coverage of 0`() throws {
        let summary = try summary(seconds: 60, series: WalkSeries(tMs: [1000], heartRateBpm: [88]))

        #expect(summary.meanHeartRateBpm == 88)
        #expect(summary.maxHeartRateBpm == 88)
        #expect(summary.coverage == 0)
    }

    @Test func `totals are used only if there is no series`() throws {
        let totals = WalkTotals(
            distanceM: 1000, activeEnergyKcal: 50.125, meanHeartRateBpm: 101, maxHeartRateBpm: 140)

        let alone = try summary(seconds: 900, totals: totals)
        #expect(alone.distanceM == 1000)
        #expect(alone.meanSpeedKmh == 4)
        #expect(alone.meanPaceSPerKm == 900)
        #expect(alone.activeEnergyKcal == 50.12)
        #expect([alone.meanHeartRateBpm, alone.maxHeartRateBpm] == [101, 140])
        #expect(alone.coverage == nil)

        let series = WalkSeries(tMs: [0, 10_000], heartRateBpm: [90, 92], distanceM: [0, 12])
        let both = try summary(seconds: 900, totals: totals, series: series)
        #expect(both.distanceM == 12)
        #expect([both.meanHeartRateBpm, both.maxHeartRateBpm] == [90, 92])
    }

    @Test func `time above the target and crossings of the target are counted`() throws {
        // Target 4: above from 10 to 20 s, at the target from 20 s (not above), above from 30 to 50 s.
        let series = WalkSeries(
            tMs: [0, 10_000, 20_000, 30_000, 40_000, 50_000], speedKmh: [3, 5, 4, 4.1, 6, 2])

        let summary = try summary(seconds: 60, series: series, target: 4)

        #expect(summary.targetSpeedKmh == 4)
        #expect(summary.aboveTargetS == 30)
        #expect(summary.aboveTargetCount == 2)
    }

    @Test func `a start above the target, and continuing above it after a pause, are crossings`() throws {
        let series = WalkSeries(tMs: [0, 10_000, 25_000, 30_000, 40_000], speedKmh: [5, 5, 9, 5, 5])

        let summary = try summary(seconds: 40, pauses: [(20, 30)], series: series, target: 4)

        #expect(summary.aboveTargetCount == 2)
        #expect(summary.aboveTargetS == 30)
    }

    @Test func `speeds in a pause are not crossings`() throws {
        let series = WalkSeries(tMs: [0, 25_000, 40_000], speedKmh: [3, 9, 3])

        let summary = try summary(seconds: 40, pauses: [(20, 30)], series: series, target: 4)

        #expect(summary.aboveTargetCount == 0)
    }

    @Test func `without a target or without speeds there is no time above the target`() throws {
        let series = WalkSeries(tMs: [0, 10_000], speedKmh: [5, 5])

        #expect(try summary(seconds: 40, series: series).aboveTargetS == nil)
        #expect(try summary(seconds: 40, target: 4).aboveTargetCount == nil)
        #expect(try summary(seconds: 40, target: 4).targetSpeedKmh == 4)
    }

    @Test func `a walk that is paused completely does not divide by zero`() throws {
        let series = WalkSeries(tMs: [0, 10_000], heartRateBpm: [90, 92], distanceM: [0, 5])

        let summary = try summary(seconds: 10, pauses: [(0, 10)], series: series)

        #expect(summary.activeS == 0)
        #expect(summary.distanceM == 0)
        #expect(summary.meanSpeedKmh == nil && summary.meanPaceSPerKm == nil && summary.coverage == nil)
    }

    @Test func `the cost of many samples and many pauses stays small`() throws {
        let count = WalkSeries.maximumSamples
        let times = (0..<count).map { $0 * 800 }
        let series = WalkSeries(
            tMs: times, speedKmh: times.map { Double($0 % 60) / 10 },
            heartRateBpm: times.map { 60 + Double($0 % 90) },
            distanceM: times.map { Double($0) / 1000 })
        let pauses = (0..<10_000).map { ($0 * 8, $0 * 8 + 4) }

        let summary = try summary(seconds: 80_000, pauses: pauses, series: series, target: 3)

        #expect(summary.activeS == 40_000)
        #expect(summary.coverage != nil)
    }
}
