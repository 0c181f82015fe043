import Testing

@testable import SaunterStatistics

@Suite struct OmegaTests {
    @Test func `the loadings that produced a matrix are recovered`() throws {
        let made = [0.8, 0.6, 0.7, 0.3]
        var correlation = Matrix(rows: 4, columns: 4)
        for row in 0..<4 {
            for column in 0..<4 { correlation[row, column] = row == column ? 1 : made[row] * made[column] }
        }

        let factor = try OneFactor(correlation: correlation)

        #expect(zip(factor.loadings, made).allSatisfy { agree($0, $1) })
    }

    @Test func `nearly equal items have loadings at the bound, not above it`() throws {
        let columns: [[Double?]] = [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 5, 4]]

        let omega = try Omega(ItemTable(columns: columns))

        #expect(omega.standardised > 0.95 && omega.standardised <= 1)
        #expect(omega.loadings.allSatisfy { $0 * $0 <= 0.995 + 1e-12 })
    }

    @Test func `an item in a larger unit changes raw omega, but not standardised omega`() throws {
        let columns: [[Double?]] = [[1, 2, 3, 4, 5, 4], [2, 2, 3, 5, 4, 4], [1, 3, 2, 5, 5, 3]]
        let scaled = [columns[0].map { $0.map { $0 * 10 } }] + columns.dropFirst()

        let omega = try Omega(ItemTable(columns: columns))
        let larger = try Omega(ItemTable(columns: scaled))

        #expect(agree(larger.standardised, omega.standardised))
        // The sum is nearly the first item, so its omega is nearly the communality of that item.
        let communality = omega.loadings[0] * omega.loadings[0]
        #expect(try (larger.raw.get() - communality).magnitude < (omega.raw.get() - communality).magnitude)
    }

    @Test func `an undefined omega has its reason`() {
        func gap(_ columns: [[Double?]]) -> UndefinedStatistic? {
            Estimate { () throws(UndefinedStatistic) in try Omega(ItemTable(columns: columns)) }.undefined
        }
        #expect(gap([[1, 2, 3], [3, 1, 2]]) == .tooFewItems)
        #expect(gap([[1, 2, 3], [3, 1, 2], [1, 1, 1]]) == .noVariation)
        #expect(gap([[1, nil], [nil, 1], [1, 2]]) == .tooFewValues)
    }
}
