import Testing

@testable import SaunterStatistics

@Suite struct NullModelTests {
    @Test func `with equal numbers of values it is the one-way intraclass correlation`() throws {
        let rows: [[Double]] = [[1, 2, 2], [4, 5, 3], [6, 5, 7], [2, 4, 3], [8, 7, 7]]

        let model = try NullModel(rows)

        let table = try ItemTable(columns: (0..<3).map { column in rows.map { $0[column] } })
        let oneWay = try IntraclassCorrelation(table).oneWay.get()
        #expect(agree(model.intraclassCorrelation, oneWay, within: 1e-6))
        // The mean square within people: deviations around 5/3, 4, 6, 3 and 22/3.
        #expect(agree(model.within, (2.0 / 3 + 2 + 2 + 2 + 2.0 / 3) / 10, within: 1e-6))
        #expect(model.valueCount == 15)
    }

    @Test func `the share between people is between 0 and 1`() throws {
        #expect(try NullModel([[1, 2], [2, 1], [1.5]]).intraclassCorrelation == 0)
        #expect(try NullModel([[1, 1], [2, 2, 2], [4]]).intraclassCorrelation == 1)
    }

    @Test(
        arguments: [
            ([], .noValues), ([[1, 2]], .tooFewValues), ([[1], [2]], .tooFewValues),
            ([[1, 1], [1]], .noVariation),
            ([[1, .nan], [1]], .notFinite), ([[1e300, -1e300], [0, 1]], .notFinite),
        ] as [([[Double]], UndefinedStatistic)])
    func `an undefined model has its reason`(people: [[Double]], reason: UndefinedStatistic) {
        #expect(Estimate { () throws(UndefinedStatistic) in try NullModel(people) }.undefined == reason)
    }
}
