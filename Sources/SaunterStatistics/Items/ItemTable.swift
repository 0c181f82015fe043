/// Answers as numbers: a column for each item, a row for each sheet. Items are keyed already: all point the
/// same way.
package struct ItemTable: Sendable {
    package let columns: [[Double?]]
    package let rowCount: Int

    /// - Throws: `.tooFewItems` without columns, `.noValues` without rows, `.lengthsDiffer`, `.notFinite` when a
    ///   value is infinite or no number.
    package init(columns: [[Double?]]) throws(Gap) {
        guard let first = columns.first else { throw .tooFewItems }
        guard !first.isEmpty else { throw .noValues }
        for column in columns where column.count != first.count { throw .lengthsDiffer }
        for column in columns where !column.allSatisfy({ $0?.isFinite ?? true }) { throw .notFinite }
        self.columns = columns
        rowCount = first.count
    }

    package var itemCount: Int { columns.count }

    /// Rows that lack no answer.
    package var completeRows: [Int] {
        (0..<rowCount).filter { row in columns.allSatisfy { $0[row] != nil } }
    }

    /// The answers of one sheet, in order of items; nil when the row is not there.
    package func row(_ row: Int) -> [Double?]? {
        (0..<rowCount).contains(row) ? columns.map { $0[row] } : nil
    }

    /// The same with the median of its item in place of each missing answer.
    /// - Throws: `.noValues` when nobody answered an item.
    package func imputed() throws(Gap) -> ItemTable {
        var whole: [[Double?]] = []
        for column in columns {
            let values = column.compactMap(\.self).sorted()
            guard !values.isEmpty else { throw .noValues }
            let middle = values.count / 2
            let median = values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
            whole.append(column.map { $0 ?? median })
        }
        return try ItemTable(columns: whole)
    }

    /// The complete rows alone.
    /// - Throws: `.noValues` when no row is complete.
    package func complete() throws(Gap) -> ItemTable {
        let rows = completeRows
        return try ItemTable(columns: columns.map { column in rows.map { column[$0] } })
    }
}
