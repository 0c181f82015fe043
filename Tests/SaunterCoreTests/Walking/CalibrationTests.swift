import Testing

@testable import SaunterCore

@Suite("Calibration")
struct CalibrationTests {
    private let rule = WalkingRule(
        requiresCalibration: true, reductionPercent: 5...50, targetFeedbackArms: [])

    private func calibration(_ speed: Double, _ reduction: Double, _ duration: Double = 120) throws
        -> Calibration
    {
        try Calibration(
            recordedAt: Instant(milliseconds: 0), meanSpeedKmh: speed, reductionPercent: reduction,
            durationS: duration, rule: rule)
    }

    private func pointers(_ speed: Double, _ reduction: Double, _ duration: Double) -> [String] {
        do {
            _ = try calibration(speed, reduction, duration)
            return []
        } catch let faults as Faults {
            return faults.list.map(\.pointer)
        } catch {
            return ["\(error)"]
        }
    }

    @Test(arguments: [(5.0, 20.0, 4.0), (5.4, 33, 3.618), (4.567, 12.5, 3.996), (15, 50, 7.5)])
    func `the target is the mean minus the reduction, to three decimals`(
        _ speed: Double, _ reduction: Double, _ target: Double
    ) throws {
        #expect(try calibration(speed, reduction).targetSpeedKmh == target)
    }

    @Test func `bounds are inclusive`() {
        #expect(pointers(0.5, 5, 10) == [])
        #expect(pointers(15, 50, 7200) == [])
    }

    @Test(arguments: [
        (0.49, 4.9, 9.9), (15.1, 50.1, 7201), (.nan, .nan, .nan), (.infinity, -.infinity, .infinity),
    ])
    func `all values out of range are reported`(_ speed: Double, _ reduction: Double, _ duration: Double) {
        #expect(
            pointers(speed, reduction, duration) == ["/mean_speed_kmh", "/reduction_percent", "/duration_s"])
    }
}
