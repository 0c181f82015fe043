import Testing

@testable import SaunterStatistics

@Suite struct ItemStatisticsTests {
    @Test func `an item with a negative correlation is recognised`() throws {
        let table = try ItemTable(columns: [[1, 2, 3, 4], [1, 2, 4, 3], [4, 3, 2, nil]])

        let items = ItemStatistics.all(table, missing: .pairwise, ranges: [1...4, 1...4])

        #expect(items.count == 3)
        #expect(try items[2].correctedTotalCorrelation.get() < 0)
        #expect(agree(try items[2].alphaIfDropped.get(), 2 * (1 - (10.0 / 3) / (18.0 / 3))))
        #expect(items[2].description.missingCount == 1)
        #expect(items[0].description.floor.value == 0.25)
        #expect(items[2].description.floor.undefined == .noRange)
    }

    @Test func `an undefined statistic has its reason`() throws {
        let two = ItemStatistics.all(try ItemTable(columns: [[1, 2], [2, 3]]), missing: .listwise)
        let one = ItemStatistics.all(try ItemTable(columns: [[1, 2]]), missing: .listwise)
        let flat = ItemStatistics.all(
            try ItemTable(columns: [[1, 1], [2, 3], [1, 2]]), missing: .listwise)

        #expect(two[0].alphaIfDropped.undefined == .tooFewItems)
        #expect(agree(try two[0].correctedTotalCorrelation.get(), 1))
        #expect(one[0].correctedTotalCorrelation.undefined == .tooFewItems)
        #expect(flat[0].correctedTotalCorrelation.undefined == .noVariation)
    }
}
