import Testing

@testable import SaunterStatistics

@Suite struct MahalanobisDistanceTests {
    @Test func `the distance of uncorrelated items is the sum of the squared z values`() throws {
        let distance = try MahalanobisDistance(ItemTable(columns: [[0, 0, 2, 2, nil], [0, 4, 0, 4, 9]]))

        // Means 1 and 2, variances 4/3 and 16/3.
        #expect(distance.rank == 2)
        #expect(agree(try distance.squared([3, 2]), 3))
        #expect(agree(try distance.squared([1, 6]), 3))
    }

    @Test func `an item that depends linearly on others does not count twice`() throws {
        let first: [Double?] = [0, 0, 2, 2]
        let second: [Double?] = [0, 4, 0, 4]
        let single = try MahalanobisDistance(ItemTable(columns: [first, second]))
        let double = try MahalanobisDistance(ItemTable(columns: [first, second, second]))

        #expect(double.rank == 2)
        #expect(agree(try double.squared([3, 6, 6]), try single.squared([3, 6])))
    }

    @Test func `an undefined statistic has its reason`() throws {
        let distance = try MahalanobisDistance(ItemTable(columns: [[0, 0, 2, 2], [0, 4, 0, 4]]))
        #expect(throws: UndefinedStatistic.incomplete) { try distance.squared([1, nil]) }
        #expect(throws: UndefinedStatistic.lengthsDiffer) { try distance.squared([1]) }
        #expect(throws: UndefinedStatistic.notFinite) { try distance.squared([1, .nan]) }
        func gap(_ columns: [[Double?]]) -> UndefinedStatistic? {
            Estimate { () throws(UndefinedStatistic) in try MahalanobisDistance(ItemTable(columns: columns)) }
                .undefined
        }
        #expect(gap([[1, nil], [nil, 1]]) == .noValues)
        #expect(gap([[1], [2]]) == .tooFewValues)
        #expect(gap([[1, 1], [2, 2]]) == .noVariation)
        #expect(gap([[1e300, -1e300], [2, 1]]) == .notFinite)
    }
}
