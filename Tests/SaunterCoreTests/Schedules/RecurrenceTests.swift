import Testing

@testable import SaunterCore

@Suite("Recurrence")
struct RecurrenceTests {
    /// Day indices up to 70. Day 0 is Wednesday, 2026-01-28.
    private func days(_ recurrence: Recurrence, offset: Int = 0) throws -> [Int] {
        let anchor = try day("2026-01-28")
        return (-5...70).filter { recurrence.falls(onDay: $0, offset: offset, anchorDate: anchor) }
    }

    @Test func `once is the day of the offset`() throws {
        #expect(try days(.once) == [0])
        #expect(try days(.once, offset: 28) == [28])
    }

    @Test func `every counts from the offset to the last day, inclusive`() throws {
        #expect(try days(.every(days: 3, untilDay: 11), offset: 2) == [2, 5, 8, 11])
        #expect(try days(.every(days: 3, untilDay: 10), offset: 2) == [2, 5, 8])
    }

    @Test func `weekly uses ISO weekdays of every n-th week`() throws {
        // Wednesday is day 0, so the first Monday and Friday are days 5 and 2.
        #expect(try days(.weekly(weekdays: [1, 5], weeks: 1, untilDay: 12)) == [2, 5, 9, 12])
        #expect(try days(.weekly(weekdays: [1, 5], weeks: 2, untilDay: 20)) == [2, 12, 16])
    }

    @Test func `the 31st becomes the last day of shorter months`() throws {
        // January 31st, February 28th, March 31st.
        #expect(try days(.monthly(days: [31], untilDay: 70)) == [3, 31, 62])
        #expect(try days(.monthly(days: [30, 31], untilDay: 40)) == [2, 3, 31])
    }

    @Test func `a cycle repeats its offsets`() throws {
        #expect(
            try days(.cycle(length: 14, dayOffsets: [0, 1, 6], untilDay: 30), offset: 1) == [
                1, 2, 7, 15, 16, 21, 29, 30,
            ])
    }

    @Test(arguments: [
        Recurrence.every(days: 0, untilDay: 9), .every(days: -1, untilDay: 9),
        .cycle(length: 0, dayOffsets: [0], untilDay: 9),
        .weekly(weekdays: [1], weeks: 0, untilDay: 9), .monthly(days: [0, -3], untilDay: .max),
    ])
    func `an impossible pattern has no days`(_ recurrence: Recurrence) throws {
        #expect(try days(recurrence) == [])
        #expect(!recurrence.falls(onDay: .max, offset: .min, anchorDate: .maximum))
    }
}
