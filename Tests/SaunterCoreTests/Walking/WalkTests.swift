import Testing

@testable import SaunterCore

@Suite("Walk")
struct WalkTests {
    static let start = Instant(milliseconds: 1_777_896_000_000)

    private func moment(_ seconds: Int) -> Instant { Self.start.adding(seconds: seconds) }

    private func pause(_ from: Int, _ to: Int) -> WalkPause {
        WalkPause(from: moment(from), to: moment(to))
    }

    /// Pointer and code of every fault of a walk of ten minutes.
    private func faults(
        seconds: Int = 600, pauses: [WalkPause] = [], totals: WalkTotals? = nil, series: WalkSeries? = nil
    ) -> [String] {
        do throws(Faults) {
            _ = try Walk(
                startedAt: Self.start, endedAt: moment(seconds), pauses: pauses, totals: totals,
                series: series)
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func `a valid walk has no faults`() {
        let series = WalkSeries(
            tMs: [0, 1000, 600_000], speedKmh: [0, nil, 50], heartRateBpm: [20, 255, nil],
            distanceM: [0, 0, 5],
            activeEnergyKcal: [nil, 0, 1])

        #expect(faults(pauses: [pause(0, 600)], totals: WalkTotals(distanceM: 5), series: series) == [])
    }

    @Test func `a walk ends after its start and within a day`() {
        #expect(faults(seconds: -1) == ["/ended_at ends_before_start"])
        #expect(faults(seconds: 0) == ["/ended_at ends_before_start"])
        #expect(faults(seconds: 86_400) == [])
        #expect(faults(seconds: 86_401) == ["/ended_at too_long"])
    }

    @Test func `pauses are inside the walk, have a positive length and do not overlap`() {
        #expect(
            faults(pauses: [pause(100, 50), pause(-5, 10), pause(590, 601), pause(20, 40), pause(30, 45)])
                == [
                    "/pauses/0/to ends_before_start", "/pauses/1/from outside_walk",
                    "/pauses/2/to outside_walk",
                    "/pauses/4/from overlaps",
                ])
    }

    @Test func `equal pauses become one, adjacent ones are joined, and empty ones are dropped`() throws {
        let walk = try Walk(
            startedAt: Self.start, endedAt: moment(600),
            pauses: [
                pause(200, 300), pause(10, 20), pause(300, 310), pause(10, 20), pause(20, 30),
                pause(400, 400),
            ])

        #expect(walk.pauses == [pause(10, 30), pause(200, 310)])
    }

    @Test func `a pause inside another one is an overlap in any order`() {
        #expect(
            faults(pauses: [pause(20, 30), pause(10, 100), pause(40, 50)]) == [
                "/pauses/0/from overlaps", "/pauses/2/from overlaps",
            ])
    }

    @Test func `times increase and are inside the walk`() {
        let series = WalkSeries(tMs: [-1, 5, 5, 4, 600_000, 600_001])

        #expect(
            faults(series: series)
                == [
                    "/series/t_ms/0 outside_walk", "/series/t_ms/2 not_increasing",
                    "/series/t_ms/3 not_increasing",
                    "/series/t_ms/5 outside_walk",
                ])
    }

    @Test func `columns have as many values as there are times`() {
        let series = WalkSeries(
            tMs: [0, 1], speedKmh: [1], heartRateBpm: [], distanceM: [1, 2, 3], activeEnergyKcal: [1, 2])

        #expect(
            faults(series: series)
                == [
                    "/series/speed_kmh unequal_length", "/series/heart_rate_bpm unequal_length",
                    "/series/distance_m unequal_length",
                ])
    }

    @Test func `values that are out of range, not finite or decreasing are reported individually`() {
        let series = WalkSeries(
            tMs: [0, 1, 2, 3], speedKmh: [-0.1, 50.1, .nan, 50], heartRateBpm: [0, 400, 19.9, .infinity],
            distanceM: [5, 4.9, nil, 4.95], activeEnergyKcal: [-1, 2, .nan, 1])

        #expect(
            faults(series: series)
                == [
                    "/series/speed_kmh/0 out_of_range", "/series/speed_kmh/1 out_of_range",
                    "/series/speed_kmh/2 not_finite", "/series/heart_rate_bpm/0 out_of_range",
                    "/series/heart_rate_bpm/1 out_of_range", "/series/heart_rate_bpm/2 out_of_range",
                    "/series/heart_rate_bpm/3 not_finite", "/series/distance_m/1 decreasing",
                    "/series/distance_m/3 decreasing", "/series/active_energy_kcal/0 out_of_range",
                    "/series/active_energy_kcal/2 not_finite", "/series/active_energy_kcal/3 decreasing",
                ])
    }

    @Test func `totals are checked too`() {
        let totals = WalkTotals(
            distanceM: -1, activeEnergyKcal: .nan, meanHeartRateBpm: 0, maxHeartRateBpm: 300)

        #expect(
            faults(totals: totals)
                == [
                    "/totals/distance_m out_of_range", "/totals/active_energy_kcal not_finite",
                    "/totals/mean_heart_rate_bpm out_of_range", "/totals/max_heart_rate_bpm out_of_range",
                ])
    }

    @Test func `a hostile body gets at most 100 faults`() {
        let count = WalkSeries.maximumSamples
        let series = WalkSeries(
            tMs: Array(repeating: 7, count: count), speedKmh: Array(repeating: .nan, count: count))

        #expect(faults(series: series).count == 100)
        #expect(faults(series: WalkSeries(tMs: Array(0...count))) == ["/series/t_ms too_many"])
        #expect(faults(pauses: Array(repeating: pause(1, 2), count: 10_001)) == ["/pauses too_many"])
        #expect(faults(series: WalkSeries(tMs: [.min, .max])).count == 2)
    }

    @Test func `unusual walks are flagged, not rejected`() throws {
        let walk = try Walk(startedAt: Self.start, endedAt: moment(600))
        let rule = WalkingRule(requiresCalibration: true, reductionPercent: 5...50, targetFeedbackArms: [])

        func flags(
            calibrated: Bool = true, enrolled: Int = -100, left: Int? = nil, received: Int = 600
        ) -> [WalkFlag] {
            walk.flags(
                rule: rule, hasCalibration: calibrated, enrolledAt: moment(enrolled),
                status: EnrolmentStatus(endedAt: left.map(moment)), receivedAt: moment(received))
        }

        #expect(flags() == [])
        #expect(flags(calibrated: false) == [.calibrationMissing])
        #expect(flags(received: 480) == [])
        #expect(flags(received: 479) == [.clockAhead])
        #expect(flags(enrolled: 1) == [.beforeEnrolment])
        #expect(flags(left: 0) == [.afterWithdrawal])
        #expect(flags(left: 1) == [])
    }
}
