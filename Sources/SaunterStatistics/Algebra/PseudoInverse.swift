/// The Moore-Penrose inverse of a symmetric positive semidefinite matrix, stored as eigenvectors. Directions with an
/// eigenvalue of zero are ignored.
package struct PseudoInverse: Sendable {
    /// The number of eigenvalues that are not zero.
    package let rank: Int
    private let axes: [(value: Double, vector: [Double])]

    /// Eigenvalues up to 1e-10 of the largest one count as zero.
    /// - Throws: the errors of `SymmetricEigen`; `.noVariation` if all eigenvalues are zero.
    package init(_ matrix: Matrix) throws(UndefinedStatistic) {
        let eigen = try SymmetricEigen(matrix)
        let largest = eigen.values.max() ?? 0
        guard largest > 0 else { throw .noVariation }
        axes = eigen.values.indices.compactMap { index in
            let value = eigen.values[index]
            return value > 1e-10 * largest ? (value, Array(eigen.vectors.column(index))) : nil
        }
        rank = axes.count
    }

    /// vᵀ·A⁺·v. The vector must have as many elements as the matrix has columns.
    package func form(_ vector: [Double]) -> Double {
        axes.reduce(0) { sum, axis in
            let share = zip(axis.vector, vector).reduce(0) { $0 + $1.0 * $1.1 }
            return sum + share * share / axis.value
        }
    }
}
