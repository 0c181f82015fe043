/// Which rows and columns of a table are read. It names columns and holds values; nothing in it is SQL.
package struct TableQuery: Sendable {
    package enum Comparison: String, Sendable, CaseIterable {
        case equal, notEqual, less, atMost, greater, atLeast
    }

    /// What rows must be like. Blank cells are unequal to every value, and neither greater nor less.
    package indirect enum Condition: Sendable {
        /// The value as the column's cells are written.
        case compare(String, Comparison, String)
        case isBlank(String)
        case oneOf(String, [String])
        case all([Condition])
        case any([Condition])
        case not(Condition)
    }

    /// Names of columns, in this order; empty is all of the table.
    package var columns: [String]
    package var condition: Condition?
    /// The key of the row before the first: cells of the table's key, a blank one empty.
    package var after: [String]?
    package var descends: Bool
    /// Rows at most; nil is all.
    package var limit: Int?
    /// Rows that are passed over.
    package var skip: Int

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

/// What is wrong with a query.
package enum TableQueryFault: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownColumn(String)
    /// The value cannot be one of the column's.
    case value(String, ColumnType)
    /// `after` is not a key of the table.
    case place

    package var description: String {
        switch self {
        case .unknownColumn(let name): "there is no column \(name.prefix(60))"
        case .value(let column, let type): "\(column) is compared with a value of the type \(type.rawValue)"
        case .place: "the place is not one of this table"
        }
    }
}
