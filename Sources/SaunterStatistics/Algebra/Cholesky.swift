/// The lower triangle L of a symmetric positive definite matrix A = L·Lᵀ.
package struct Cholesky: Sendable {
    private let lower: Matrix

    /// Nil when the matrix is not square, not finite, or singular: a pivot is less than 1e-10 of the diagonal
    /// element that it came from.
    package init?(_ matrix: Matrix) {
        guard matrix.rowCount == matrix.columnCount, matrix.isFinite else { return nil }
        var lower = matrix
        for column in 0..<matrix.columnCount {
            var pivot = matrix[column, column]
            for place in 0..<column { pivot -= lower[column, place] * lower[column, place] }
            guard pivot > 1e-10 * matrix[column, column], pivot > 0 else { return nil }
            let root = pivot.squareRoot()
            lower[column, column] = root
            for row in (column + 1)..<max(column + 1, matrix.rowCount) {
                var element = matrix[row, column]
                for place in 0..<column { element -= lower[row, place] * lower[column, place] }
                lower[row, column] = element / root
            }
        }
        self.lower = lower
    }

    /// vᵀ·A⁻¹·v, by one forward substitution. The vector must be as long as the matrix is wide.
    package func inverseForm(_ vector: [Double]) -> Double {
        var solved = vector
        for row in solved.indices {
            for place in 0..<row { solved[row] -= lower[row, place] * solved[place] }
            solved[row] /= lower[row, row]
        }
        return solved.reduce(0) { $0 + $1 * $1 }
    }
}
