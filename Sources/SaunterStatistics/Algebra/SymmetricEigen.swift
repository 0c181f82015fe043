/// Eigenvalues and eigenvectors of a symmetric matrix, by cyclic Jacobi rotations.
package struct SymmetricEigen: Sendable {
    /// In no particular order.
    package let values: [Double]
    /// In column j the vector of length 1 that belongs to `values[j]`.
    package let vectors: Matrix

    private static let maximumSweeps = 100

    /// - Throws: `.lengthsDiffer` when the matrix is not square, `.notFinite`, `.noConvergence`.
    package init(_ matrix: Matrix) throws(Gap) {
        guard matrix.rowCount == matrix.columnCount else { throw .lengthsDiffer }
        guard matrix.isFinite else { throw .notFinite }
        let count = matrix.rowCount
        var rotated = matrix
        var vectors = Matrix(rows: count, columns: count)
        for place in 0..<count { vectors[place, place] = 1 }
        for _ in 0..<Self.maximumSweeps {
            var hasRotated = false
            for column in 0..<count {
                for row in 0..<column where Self.matters(rotated, row, column) {
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

    /// Whether an element beside the diagonal still changes the diagonal when it is rotated away.
    private static func matters(_ matrix: Matrix, _ row: Int, _ column: Int) -> Bool {
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
        for place in 0..<matrix.rowCount {
            let left = matrix[place, first]
            let right = matrix[place, second]
            matrix[place, first] = cosine * left - sine * right
            matrix[place, second] = sine * left + cosine * right
        }
        for place in 0..<matrix.rowCount {
            let upper = matrix[first, place]
            let lower = matrix[second, place]
            matrix[first, place] = cosine * upper - sine * lower
            matrix[second, place] = sine * upper + cosine * lower
        }
        matrix[first, second] = 0
        matrix[second, first] = 0
        for place in 0..<vectors.rowCount {
            let left = vectors[place, first]
            let right = vectors[place, second]
            vectors[place, first] = cosine * left - sine * right
            vectors[place, second] = sine * left + cosine * right
        }
    }
}
