import Testing

@testable import SaunterStatistics

@Suite struct IntraclassCorrelationTests {
    @Test func `a shift between occasions affects agreement but not consistency`() throws {
        let icc = try IntraclassCorrelation(ItemTable(columns: [[1, 2, 3, nil], [3, 4, 5, 6]]))

        #expect(icc.consistency.value == 1)
        // Mean squares: between people 2, shift 6, error 0. So 2/(2 + 2/3·6).
        #expect(agree(try icc.agreement.get(), 1.0 / 3))
        // Within people 6/3: (2 − 2)/(2 + 2).
        #expect(agree(try icc.oneWay.get(), 0))
        #expect(icc.personCount == 3)
        #expect(icc.occasionCount == 2)
    }

    @Test func `an undefined statistic has its reason`() {
        func gap(_ columns: [[Double?]]) -> UndefinedStatistic? {
            Estimate { () throws(UndefinedStatistic) in
                try IntraclassCorrelation(ItemTable(columns: columns)).agreement.get()
            }
            .undefined
        }
        #expect(gap([[1, nil], [nil, 1]]) == .noValues)
        #expect(gap([[1], [2]]) == .tooFewValues)
        #expect(gap([[1, 2]]) == .tooFewItems)
        #expect(gap([[1, 1], [1, 1]]) == .noVariation)
        #expect(gap([[1e200, 1], [1, 1e200]]) == .notFinite)
    }
}
