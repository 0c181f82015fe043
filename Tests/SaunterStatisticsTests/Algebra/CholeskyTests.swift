import Testing

@testable import SaunterStatistics

@Suite struct CholeskyTests {
    @Test func `the inverse form is equal to that of the known inverse`() throws {
        let cholesky = try #require(Cholesky(try Matrix(columns: [[4, 2], [2, 3]])))

        // The inverse is [3 −2; −2 4]/8.
        #expect(agree(cholesky.inverseForm([1, 1]), 3.0 / 8))
        #expect(agree(cholesky.inverseForm([2, 0]), 12.0 / 8))
    }

    @Test func `a singular matrix is rejected, but has a pseudo-inverse`() throws {
        let matrix = try Matrix(columns: [[1, 2], [2, 4]])

        #expect(Cholesky(matrix) == nil)
        let inverse = try PseudoInverse(matrix)
        #expect(inverse.rank == 1)
        // 5 × the axis (1, 2)/√5.
        #expect(agree(inverse.form([1, 2]), 1))
        #expect(agree(inverse.form([2, -1]), 0))
    }

    @Test func `a matrix that is not a covariance has no Cholesky factor`() throws {
        #expect(Cholesky(try Matrix(columns: [[1, 2], [2, 1]])) == nil)
        #expect(Cholesky(try Matrix(columns: [[.nan]])) == nil)
        #expect(Cholesky(Matrix(rows: 1, columns: 2)) == nil)
        #expect(throws: UndefinedStatistic.noVariation) { try PseudoInverse(Matrix(rows: 2, columns: 2)) }
    }
}
