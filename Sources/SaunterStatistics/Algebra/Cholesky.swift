/// The lower triangular matrix L of a symmetric positive definite matrix A = L·Lᵀ.
package struct Cholesky: Sendable {
    private let lower: Matrix

    /// Returns nil if the matrix is not square, not finite, or singular. It is singular if a pivot is less than 1e-10
    /// of its diagonal element.
    package init?(_ matrix: Matrix) {
        guard matrix.rowCount == matrix.columnCount, matrix.isFinite else { return nil }
        var lower = matrix
        for column in 0..<matrix.columnCount {
            var pivot = matrix[column, column]
            for index in 0..<column { pivot -= lower[column, index] * lower[column, index] }
            guard pivot > 1e-10 * matrix[column, column], pivot > 0 else { return nil }
            let root = pivot.squareRoot()
            lower[column, column] = root
            for row in (column + 1)..<max(column + 1, matrix.rowCount) {
                var element = matrix[row, column]
                for index in 0..<column { element -= lower[row, index] * lower[column, index] }
                lower[row, column] = element / root
            }
        }
        self.lower = lower
    }

    /// vᵀ·A⁻¹·v, by forward substitution. The vector must have as many elements as the matrix has columns.
    package func inverseForm(_ vector: [Double]) -> Double {
        var solved = vector
        for row in solved.indices {
            for index in 0..<row { solved[row] -= lower[row, index] * solved[index] }
            solved[row] /= lower[row, row]
        }
        return solved.reduce(0) { $0 + $1 * $1 }
    }
}
