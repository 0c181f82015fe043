import Testing

@testable import SaunterStatistics

@Suite struct IntraclassCorrelationTests {
    @Test func `a shift between occasions counts in agreement and not in consistency`() throws {
        let icc = try IntraclassCorrelation(ItemTable(columns: [[1, 2, 3, nil], [3, 4, 5, 6]]))

        #expect(icc.consistency.value == 1)
        // Between people 2 in mean squares, shift 6, no error: 2/(2 + 2/3·6).
        #expect(agree(try icc.agreement.get(), 1.0 / 3))
        // Within people 6/3: (2 − 2)/(2 + 2).
        #expect(agree(try icc.oneWay.get(), 0))
        #expect(icc.personCount == 3)
        #expect(icc.occasionCount == 2)
    }

    @Test func `what cannot be told has its reason`() {
        func gap(_ columns: [[Double?]]) -> Gap? {
            Estimate { () throws(Gap) in
                try IntraclassCorrelation(ItemTable(columns: columns)).agreement.get()
            }
            .gap
        }
        #expect(gap([[1, nil], [nil, 1]]) == .noValues)
        #expect(gap([[1], [2]]) == .tooFewValues)
        #expect(gap([[1, 2]]) == .tooFewItems)
        #expect(gap([[1, 1], [1, 1]]) == .noVariation)
        #expect(gap([[1e200, 1], [1, 1e200]]) == .notFinite)
    }
}
