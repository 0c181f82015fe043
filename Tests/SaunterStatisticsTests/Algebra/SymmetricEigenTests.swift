import Testing

@testable import SaunterStatistics

@Suite struct SymmetricEigenTests {
    @Test func `two items with correlation r have the values 1 + r and 1 − r`() throws {
        let eigen = try SymmetricEigen(Matrix(columns: [[1, 0.25], [0.25, 1]]))

        #expect(agree(eigen.values.max() ?? 0, 1.25))
        #expect(agree(eigen.values.min() ?? 0, 0.75))
    }

    @Test func `eigenvectors and eigenvalues reconstruct the matrix`() throws {
        let matrix = try Matrix(
            columns: [[4, 1, -2, 2], [1, 2, 0, 1], [-2, 0, 3, -2], [2, 1, -2, -1]])

        let eigen = try SymmetricEigen(matrix)

        for row in 0..<4 {
            for column in 0..<4 {
                let made = eigen.values.indices.reduce(0) {
                    $0 + eigen.values[$1] * eigen.vectors[row, $1] * eigen.vectors[column, $1]
                }
                #expect(agree(made, matrix[row, column], within: 1e-12))
            }
        }
    }

    @Test func `an invalid matrix is rejected`() {
        #expect(throws: UndefinedStatistic.lengthsDiffer) { try SymmetricEigen(Matrix(rows: 2, columns: 3)) }
        #expect(throws: UndefinedStatistic.notFinite) {
            try SymmetricEigen(Matrix(columns: [[1, .nan], [.nan, 1]]))
        }
        #expect(throws: UndefinedStatistic.lengthsDiffer) { try Matrix(columns: [[1], [1, 2]]) }
    }
}
