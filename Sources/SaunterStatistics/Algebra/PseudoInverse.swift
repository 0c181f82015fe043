/// The Moore-Penrose inverse of a symmetric positive semidefinite matrix, kept as its eigenvectors:
/// directions in which the matrix is flat count nothing.
package struct PseudoInverse: Sendable {
    /// In how many directions the matrix is not flat.
    package let rank: Int
    private let axes: [(value: Double, vector: [Double])]

    /// Eigenvalues up to 1e-10 of the largest are taken for zero.
    /// - Throws: as `SymmetricEigen`; `.noVariation` when nothing is left.
    package init(_ matrix: Matrix) throws(Gap) {
        let eigen = try SymmetricEigen(matrix)
        let largest = eigen.values.max() ?? 0
        guard largest > 0 else { throw .noVariation }
        axes = eigen.values.indices.compactMap { place in
            let value = eigen.values[place]
            return value > 1e-10 * largest ? (value, Array(eigen.vectors.column(place))) : nil
        }
        rank = axes.count
    }

    /// vᵀ·A⁺·v. The vector must be as long as the matrix is wide.
    package func form(_ vector: [Double]) -> Double {
        axes.reduce(0) { sum, axis in
            let share = zip(axis.vector, vector).reduce(0) { $0 + $1.0 * $1.1 }
            return sum + share * share / axis.value
        }
    }
}
