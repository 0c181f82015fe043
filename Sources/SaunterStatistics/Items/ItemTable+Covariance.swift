extension ItemTable {
    /// How many sheets a figure with this treatment of missing answers rests on: the complete ones, or all.
    package func sheetCount(_ missing: MissingData) -> Int {
        missing == .listwise ? completeRows.count : rowCount
    }

    /// Covariances of the items, with n − 1.
    /// - Throws: `.tooFewValues` when two items, or one alone, are answered by fewer than two sheets;
    ///   `.noValues`, `.notFinite`.
    package func covariance(_ missing: MissingData) throws(Gap) -> Matrix {
        let table = try treated(missing)
        return try table.matrix { (left, right) throws(Gap) in
            guard left.count > 1 else { throw .tooFewValues }
            return try (Moments.crossProducts(left, right) / Double(left.count - 1)).finite()
        }
    }

    /// Pearson's correlations of the items; pairwise ones with the means and spreads of each pair's own sheets,
    /// as `cor(use = "pairwise")` of R.
    /// - Throws: as `covariance`, and `.noVariation`.
    package func correlation(_ missing: MissingData) throws(Gap) -> Matrix {
        let table = try treated(missing)
        return try table.matrix { (left, right) throws(Gap) in try Moments.correlation(left, right) }
    }

    private func treated(_ missing: MissingData) throws(Gap) -> ItemTable {
        switch missing {
        case .listwise: try complete()
        case .pairwise: self
        case .median: try imputed()
        }
    }

    /// A symmetric matrix of a function of each pair of columns, over the rows that have both.
    private func matrix(_ body: ([Double], [Double]) throws(Gap) -> Double) throws(Gap) -> Matrix {
        var matrix = Matrix(rows: itemCount, columns: itemCount)
        for column in columns.indices {
            for row in 0...column {
                var left: [Double] = []
                var right: [Double] = []
                left.reserveCapacity(rowCount)
                right.reserveCapacity(rowCount)
                for (first, second) in zip(columns[row], columns[column]) {
                    guard let first, let second else { continue }
                    left.append(first)
                    right.append(second)
                }
                let value = try body(left, right)
                matrix[row, column] = value
                matrix[column, row] = value
            }
        }
        return matrix
    }
}
