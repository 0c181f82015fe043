/// Eigenvalues and eigenvectors of a symmetric matrix, by cyclic Jacobi rotations.
package struct SymmetricEigen: Sendable {
    /// In no defined order.
    package let values: [Double]
    /// Column j is the eigenvector of length 1 that belongs to `values[j]`.
    package let vectors: Matrix

    private static let maximumSweeps = 100

    /// - Throws: `.lengthsDiffer` if the matrix is not square; `.notFinite`; `.noConvergence`.
    package init(_ matrix: Matrix) throws(UndefinedStatistic) {
        guard matrix.rowCount == matrix.columnCount else { throw .lengthsDiffer }
        guard matrix.isFinite else { throw .notFinite }
        let count = matrix.rowCount
        var rotated = matrix
        var vectors = Matrix(rows: count, columns: count)
        for index in 0..<count { vectors[index, index] = 1 }
        for _ in 0..<Self.maximumSweeps {
            var hasRotated = false
            for column in 0..<count {
                for row in 0..<column where Self.affectsDiagonal(rotated, row, column) {
                    Self.rotate(&rotated, &vectors, row, column)
                    hasRotated = true
                }
            }
            guard hasRotated else {
                guard rotated.isFinite, vectors.isFinite else { throw .notFinite }
                values = rotated.diagonal
                self.vectors = vectors
                return
            }
        }
        throw .noConvergence
    }

    /// Whether rotating this off-diagonal element to zero still changes the diagonal.
    private static func affectsDiagonal(_ matrix: Matrix, _ row: Int, _ column: Int) -> Bool {
        let scale = matrix[row, row].magnitude + matrix[column, column].magnitude
        let element = matrix[row, column].magnitude
        return element > 0 && element > scale * 1e-17 && element > .leastNormalMagnitude
    }

    /// Makes the element at (first, second) zero by a rotation in the plane of both axes.
    private static func rotate(_ matrix: inout Matrix, _ vectors: inout Matrix, _ first: Int, _ second: Int) {
        let ratio = (matrix[second, second] - matrix[first, first]) / (2 * matrix[first, second])
        let sign: Double = ratio < 0 ? -1 : 1
        let tangent = sign / (ratio.magnitude + (1 + ratio * ratio).squareRoot())
        let cosine = 1 / (1 + tangent * tangent).squareRoot()
        let sine = tangent * cosine
        for index in 0..<matrix.rowCount {
            let left = matrix[index, first]
            let right = matrix[index, second]
            matrix[index, first] = cosine * left - sine * right
            matrix[index, second] = sine * left + cosine * right
        }
        for index in 0..<matrix.rowCount {
            let upper = matrix[first, index]
            let lower = matrix[second, index]
            matrix[first, index] = cosine * upper - sine * lower
            matrix[second, index] = sine * upper + cosine * lower
        }
        matrix[first, second] = 0
        matrix[second, first] = 0
        for index in 0..<vectors.rowCount {
            let left = vectors[index, first]
            let right = vectors[index, second]
            vectors[index, first] = cosine * left - sine * right
            vectors[index, second] = sine * left + cosine * right
        }
    }
}
