/// A small dense matrix of doubles in column-major order.
package struct Matrix: Sendable, Hashable {
    /// The number of rows; 0 for an empty matrix.
    package let rowCount: Int
    /// The number of columns; 0 for an empty matrix.
    package let columnCount: Int
    private var elements: [Double]

    /// A matrix of zeros.
    package init(rows: Int, columns: Int) {
        rowCount = max(0, rows)
        columnCount = max(0, columns)
        elements = Array(repeating: 0, count: rowCount * columnCount)
    }

    /// - Throws: `.lengthsDiffer` unless all columns have the same length.
    package init(columns: [[Double]]) throws(UndefinedStatistic) {
        rowCount = columns.first?.count ?? 0
        columnCount = columns.count
        for column in columns where column.count != rowCount { throw .lengthsDiffer }
        elements = columns.flatMap(\.self)
    }

    /// Both indexes must be inside the matrix.
    package subscript(row: Int, column: Int) -> Double {
        get { elements[column * rowCount + row] }
        set { elements[column * rowCount + row] = newValue }
    }

    /// The elements of one column.
    package func column(_ column: Int) -> ArraySlice<Double> {
        elements[column * rowCount..<(column + 1) * rowCount]
    }

    /// The sum of all elements.
    package var sum: Double { elements.reduce(0, +) }

    /// The elements from the top left to the bottom right.
    package var diagonal: [Double] { (0..<min(rowCount, columnCount)).map { self[$0, $0] } }

    /// Whether no element is infinite or NaN.
    package var isFinite: Bool { elements.allSatisfy(\.isFinite) }

    /// A copy without the row and the column at this index.
    package func dropping(_ index: Int) -> Matrix {
        var smaller = Matrix(rows: rowCount - 1, columns: columnCount - 1)
        for column in 0..<columnCount where column != index {
            for row in 0..<rowCount where row != index {
                smaller[row < index ? row : row - 1, column < index ? column : column - 1] = self[row, column]
            }
        }
        return smaller
    }
}
