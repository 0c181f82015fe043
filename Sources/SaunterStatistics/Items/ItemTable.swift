/// Answers as numbers, with one column per item and one row per sheet. Reverse-keyed items must be recoded first, so
/// that all items have the same direction.
package struct ItemTable: Sendable {
    /// One column per item; nil for a missing answer. All have the same length.
    package let columns: [[Double?]]
    /// The number of sheets, at least 1.
    package let rowCount: Int

    /// - Throws: `.tooFewItems` without columns; `.noValues` without rows; `.lengthsDiffer`; `.notFinite`.
    package init(columns: [[Double?]]) throws(UndefinedStatistic) {
        guard let first = columns.first else { throw .tooFewItems }
        guard !first.isEmpty else { throw .noValues }
        for column in columns where column.count != first.count { throw .lengthsDiffer }
        for column in columns where !column.allSatisfy({ $0?.isFinite ?? true }) { throw .notFinite }
        self.columns = columns
        rowCount = first.count
    }

    /// The number of columns.
    package var itemCount: Int { columns.count }

    /// The indexes of the rows without a missing answer.
    package var completeRows: [Int] {
        (0..<rowCount).filter { row in columns.allSatisfy { $0[row] != nil } }
    }

    /// The answers of one sheet, in the order of items; nil if the row does not exist.
    package func row(_ row: Int) -> [Double?]? {
        (0..<rowCount).contains(row) ? columns.map { $0[row] } : nil
    }

    /// A copy in which the median of the item replaces each missing answer.
    /// - Throws: `.noValues` if an item has no answers.
    package func imputed() throws(UndefinedStatistic) -> ItemTable {
        var imputedColumns: [[Double?]] = []
        for column in columns {
            let values = column.compactMap(\.self).sorted()
            guard !values.isEmpty else { throw .noValues }
            let middle = values.count / 2
            let median = values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
            imputedColumns.append(column.map { $0 ?? median })
        }
        return try ItemTable(columns: imputedColumns)
    }

    /// A copy with only the complete rows.
    /// - Throws: `.noValues` if no row is complete.
    package func complete() throws(UndefinedStatistic) -> ItemTable {
        let rows = completeRows
        return try ItemTable(columns: columns.map { column in rows.map { column[$0] } })
    }
}

extension ItemTable {
    /// The number of sheets that a statistic with this treatment of missing answers uses.
    package func sheetCount(_ missing: MissingData) -> Int {
        missing == .listwise ? completeRows.count : rowCount
    }

    /// The covariances of the items, with n − 1.
    /// - Throws: `.tooFewValues` if fewer than two sheets answer an item or a pair of items; `.noValues`;
    ///   `.notFinite`.
    package func covariance(_ missing: MissingData) throws(UndefinedStatistic) -> Matrix {
        let table = try treated(missing)
        return try table.matrix { (left, right) throws(UndefinedStatistic) in
            guard left.count > 1 else { throw .tooFewValues }
            return try (Moments.crossProducts(left, right) / Double(left.count - 1)).finite()
        }
    }

    /// Pearson's correlations of the items. With `.pairwise`, means and deviations are those of the sheets of each
    /// pair, as in R's `cor(use = "pairwise")`.
    /// - Throws: the errors of `covariance`, and `.noVariation`.
    package func correlation(_ missing: MissingData) throws(UndefinedStatistic) -> Matrix {
        let table = try treated(missing)
        return try table.matrix { (left, right) throws(UndefinedStatistic) in
            try Moments.correlation(left, right)
        }
    }

    private func treated(_ missing: MissingData) throws(UndefinedStatistic) -> ItemTable {
        switch missing {
        case .listwise: try complete()
        case .pairwise: self
        case .median: try imputed()
        }
    }

    /// A symmetric matrix with the value of `body` for each pair of columns, computed from the rows that have both
    /// values.
    private func matrix(_ body: ([Double], [Double]) throws(UndefinedStatistic) -> Double)
        throws(UndefinedStatistic) -> Matrix
    {
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
