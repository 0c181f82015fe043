import Testing

@testable import SaunterCore

@Suite struct SlotTests {
    /// Openings of many days, in seconds since 00:00 of each day.
    private func openings(from: String, to: String, count: Int, gap: Int, days: Int) throws -> [[Int]] {
        let slot = Slot(
            opening: .random(from: try time(from), to: try time(to), count: count, minimumGap: gap),
            dueAfter: 600,
            closeAfter: 600)
        return (0..<days).map { day in
            slot.openings(firstIndex: 0) { SeededDraw(seed: [1], label: [Array("\(day)".utf8)]) }
                .map(\.opening.seconds)
        }
    }

    // In 3,000 days the outermost openings are within a minute of both ends. This would not be possible if the span
    // were shorter by the gap.
    @Test(arguments: [1, 2, 3])
    func `random openings reach both ends of their span despite the minimum gap`(count: Int) throws {
        let days = try openings(from: "08:00", to: "14:00", count: count, gap: hour, days: 3000)

        #expect(try #require(days.flatMap(\.self).min()) < 8 * hour + 60)
        #expect(try #require(days.flatMap(\.self).max()) > 14 * hour - 60)
        #expect(days.flatMap(\.self).allSatisfy { (8 * hour...14 * hour).contains($0) })
    }

    @Test func `a span that ends on the next day has openings on both days`() throws {
        let days = try openings(from: "22:00", to: "02:00", count: 1, gap: 0, days: 1000).flatMap(\.self)

        #expect(days.contains { $0 < 24 * hour })
        #expect(try #require(days.max()) > 26 * hour - 300)
        #expect(days.allSatisfy { (22 * hour...26 * hour).contains($0) })
    }

    @Test func `an opening in a gap is marked as adjusted, even if the length does not change`()
        throws
    {
        let length = 250 * 86_400
        let slot = Slot(
            opening: .fixed(try time("02:00")), dueAfter: length, closeAfter: length, visibleBefore: hour)

        let resolved = slot.window(
            date: try day("2026-03-29"), opening: 2 * hour, zone: try zone("Europe/Berlin"), floor: nil)

        #expect(resolved.window.openAt == (try at("2026-03-29T01:00:00Z")))
        #expect(resolved.window.closeAt.milliseconds(since: resolved.window.openAt) == Int64(length) * 1000)
        #expect(resolved.isAdjusted)
    }
}
