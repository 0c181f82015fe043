import Testing

@testable import SaunterCore

/// Which item of a collection a participant gets next.
struct ContentSelectorTests {
    private static let selector = ContentSelector(secret: Array("secret".utf8), collection: "quotes")
    private static let enrolment = EnrolmentID("0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")!
    private static let today = LocalDate("2026-11-21")!

    private static func items(_ numbers: Range<Int>) -> [ContentItem] {
        numbers.map { ContentItem(id: "item_\($0)") }
    }

    /// The items of consecutive draws, one per second.
    private static func draws(
        _ count: Int, among items: [ContentItem], of enrolment: EnrolmentID = enrolment,
        shown: inout [String: Instant]
    ) -> [String] {
        (0..<count).compactMap { number in
            let next = selector.next(among: items, for: enrolment, shown: shown)
            let last = shown.values.max() ?? Instant(milliseconds: 0)
            if let next { shown[next.id] = last.adding(seconds: number + 1) }
            return next?.id
        }
    }

    @Test(arguments: [1, 2, 5, 31]) func `no item is repeated before all were shown`(_ count: Int) {
        let items = Self.items(0..<count)
        var shown: [String: Instant] = [:]

        let drawn = Self.draws(3 * count, among: items, shown: &shown)

        for round in 0..<3 {
            #expect(Set(drawn[round * count..<(round + 1) * count]).count == count)
        }
        #expect(Array(drawn[..<count]) == Array(drawn[count..<2 * count]))
    }

    @Test func `items that are new in the collection come next`() {
        var shown: [String: Instant] = [:]
        _ = Self.draws(7, among: Self.items(0..<5), shown: &shown)

        let drawn = Self.draws(2, among: Self.items(0..<7), shown: &shown)

        #expect(Set(drawn) == ["item_5", "item_6"])
    }

    @Test func `participants get different orders, and the same participant the same one`() {
        let items = Self.items(0..<20)
        let other = EnrolmentID("0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f41")!
        var (one, two, again): ([String: Instant], [String: Instant], [String: Instant]) = ([:], [:], [:])

        let first = Self.draws(20, among: items, shown: &one)

        #expect(first != Self.draws(20, among: items, of: other, shown: &two))
        #expect(first == Self.draws(20, among: items.reversed(), shown: &again))
    }

    @Test func `an item that is selected for a later date is drawn last`() {
        let items = Self.items(0..<3)
        let first = Self.selector.next(among: items, for: Self.enrolment, shown: [:])!

        let next = Self.selector.next(
            among: items, for: Self.enrolment, shown: [:], coming: [first.id])

        #expect(next?.id != first.id)
        #expect(
            Self.selector.next(among: [first], for: Self.enrolment, shown: [:], coming: [first.id]) == first)
    }

    @Test func `dates keep the items that they have, and the others get new ones`() {
        let dates = (0..<4).map { Self.today.adding(days: $0) }
        let items = Self.items(0..<4)

        let chosen = Self.selector.days(
            dates, among: items, for: Self.enrolment, shown: [:], selected: [dates[1]: "item_2"])

        #expect(Set(chosen.keys) == [dates[0], dates[2], dates[3]])
        #expect(Set(chosen.values) == ["item_0", "item_1", "item_3"])
        #expect(
            Self.selector.days(
                dates, among: [], for: Self.enrolment, shown: [:], selected: [:]
            ).isEmpty)
    }

    @Test func `the item of a date is the same for everyone, and all items take their turn`() {
        let items = Self.selector.order(of: Self.items(0..<5))

        let found = (-5..<5).compactMap {
            ContentSelector.item(on: LocalDate(days: $0), of: items)?.id
        }

        #expect(Set(found[..<5]).count == 5)
        #expect(Array(found[..<5]) == Array(found[5...]))
        #expect(items != Self.items(0..<5))
        #expect(ContentSelector.item(on: Self.today, of: []) == nil)
    }
}
