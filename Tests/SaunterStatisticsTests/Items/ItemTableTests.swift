import Testing

@testable import SaunterStatistics

@Suite struct ItemTableTests {
    private let table = Result { () throws(UndefinedStatistic) in
        try ItemTable(columns: [[1, 2, 3, nil, 9], [2, 4, nil, 1, 5]])
    }

    @Test func `only rows without a blank are complete`() throws {
        #expect(try table.get().completeRows == [0, 1, 4])
        #expect(try table.get().complete().columns == [[1, 2, 9], [2, 4, 5]])
        #expect(try table.get().sheetCount(.listwise) == 3)
        #expect(try table.get().sheetCount(.pairwise) == 5)
    }

    @Test func `a blank becomes the median of its item`() throws {
        #expect(try table.get().imputed().columns == [[1, 2, 3, 2.5, 9], [2, 4, 3, 1, 5]])
    }

    @Test func `the three treatments of blanks result in three covariances`() throws {
        let table = try table.get()

        // Item 1 alone: 1, 2, 3, 9 with squares of deviations 7.5625 + 3.0625 + 0.5625 + 27.5625.
        #expect(agree(try table.covariance(.pairwise)[0, 0], 38.75 / 3))
        // Over the complete rows: 1, 2, 9 with 9 + 4 + 25.
        #expect(agree(try table.covariance(.listwise)[0, 0], 38.0 / 2))
        #expect(try table.covariance(.pairwise)[0, 1] == table.covariance(.listwise)[0, 1])
        #expect(try table.covariance(.median)[0, 1] != table.covariance(.pairwise)[0, 1])
    }

    @Test func `an invalid table is rejected with its reason`() {
        func gap(_ columns: [[Double?]]) -> UndefinedStatistic? {
            Estimate { () throws(UndefinedStatistic) in try ItemTable(columns: columns) }.undefined
        }
        #expect(gap([]) == .tooFewItems)
        #expect(gap([[], []]) == .noValues)
        #expect(gap([[1, 2], [1]]) == .lengthsDiffer)
        #expect(gap([[1, .nan]]) == .notFinite)
        #expect(gap([[1, -.infinity]]) == .notFinite)
    }

    @Test func `a row that does not exist is nil`() throws {
        #expect(try table.get().row(3) == [nil, 1])
        #expect(try table.get().row(5) == nil)
        #expect(try table.get().row(-1) == nil)
    }
}
