import Testing

@testable import SaunterCore

@Suite("Plan density")
struct PlanDensityTests {
    @Test func `the density counts occasions in the busiest consecutive days of the busiest arm`() throws {
        let slot = try Sample.slot("08:00", due: hour, close: 2 * hour)
        var burst = Sample.schedule("burst", repeating: .every(days: 1, untilDay: 13), slots: [slot, slot])
        burst.offsetDays = 10
        var weekly = Sample.schedule("weekly", repeating: .every(days: 7, untilDay: 28), slots: [slot])
        weekly.arms = ["control"]
        let walks = Sample.schedule("after", anchor: .walk, repeating: .once, slots: [slot])
        let density = PlanDensity(of: Sample.study([burst, weekly, walks]))

        // Two on each of the days 10 to 13; one on the days 0, 7, 14, 21 and 28.
        #expect(density.maximumOccasions(in: 1) == 2)
        #expect(density.maximumOccasions(in: 4) == 8)
        #expect(density.maximumOccasions(in: 5) == 9)
        #expect(density.maximumOccasions(in: 29) == 13)
        #expect(density.maximumOccasions(in: 366) == 13)
        #expect(density.maximumOccasions(in: 0) == 2)
    }

    @Test func `schedules with different anchors may coincide`() throws {
        let slot = try Sample.slot("08:00", due: hour, close: 2 * hour)
        let first = Sample.schedule("first", repeating: .once, slots: [slot])
        let later = Sample.schedule("later", offset: 20, repeating: .once, slots: [slot])
        let event = Sample.schedule("event", anchor: .event("home"), repeating: .once, slots: [slot])
        let dated = Sample.schedule(
            "dated", anchor: .studyDate(LocalDate(days: 21_000)), repeating: .once, slots: [slot])

        #expect(PlanDensity(of: Sample.study([first, later, event, dated])).maximumOccasions(in: 14) == 3)
        #expect(PlanDensity(of: Sample.study([first, later, event, dated])).maximumOccasions(in: 21) == 4)
        #expect(PlanDensity(of: Sample.study([])).maximumOccasions(in: 21) == 0)
    }
}
