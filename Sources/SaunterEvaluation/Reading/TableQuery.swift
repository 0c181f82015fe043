/// Selects rows and columns of a table. It contains names of columns and values, but no SQL.
package struct TableQuery: Sendable {
    /// A comparison of a cell with a value.
    package enum Comparison: String, Sendable, CaseIterable {
        case equal, notEqual, less, atMost, greater, atLeast
    }

    /// A condition on rows. A blank cell is unequal to every value, and neither greater nor less.
    package indirect enum Condition: Sendable {
        /// The value is written like the cells of the column.
        case compare(String, Comparison, String)
        case isBlank(String)
        case oneOf(String, [String])
        case all([Condition])
        case any([Condition])
        case not(Condition)
    }

    /// The names of the columns in this order. Empty means all columns of the table.
    package var columns: [String]
    /// The condition on rows; nil selects all rows.
    package var condition: Condition?
    /// The key of the last row of the previous page: one cell per key column; a blank cell is empty.
    package var after: [String]?
    /// Whether rows are in descending order of the key.
    package var descends: Bool
    /// The maximum number of rows; nil means no limit.
    package var limit: Int?
    /// The number of rows to skip.
    package var skip: Int

    /// Creates a query; by default for all columns and rows.
    package init(
        columns: [String] = [], condition: Condition? = nil, after: [String]? = nil, descends: Bool = false,
        limit: Int? = nil, skip: Int = 0
    ) {
        self.columns = columns
        self.condition = condition
        self.after = after
        self.descends = descends
        self.limit = limit
        self.skip = skip
    }
}

/// An invalid query.
package enum TableQueryFault: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownColumn(String)
    /// The value does not fit the type of the column.
    case wrongType(String, ColumnType)
    /// `after` is not a valid key of the table.
    case invalidKey

    /// One line for the client.
    package var description: String {
        switch self {
        case .unknownColumn(let name): "there is no column \(name.prefix(60))"
        case .wrongType(let column, let type):
            "\(column) must be compared with a value of the type \(type.rawValue)"
        case .invalidKey: "the key of the previous page is not a key of this table"
        }
    }
}
