/// One column of a Parquet file.
package struct ParquetColumn: Sendable, Hashable {
    /// The name of the column in the file.
    package let name: String
    /// The type of its values.
    package let type: ParquetType
    /// Whether every row must have a value. The writer rejects a null then.
    package let isRequired: Bool

    /// An optional column, unless `isRequired` is true.
    package init(_ name: String, _ type: ParquetType, isRequired: Bool = false) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
    }
}

/// The type of the values of a column. A date is a number of days since 1970-01-01. A timestamp is a number of its
/// units since 1970-01-01T00:00.
package enum ParquetType: Sendable, Hashable {
    case boolean, int32, int64, double
    /// UTF-8.
    case string
    case date
    /// - Parameter isUTC: true for an instant in UTC, false for a local time without a time zone.
    case timestamp(TimeUnit, isUTC: Bool)

    /// The unit of a timestamp.
    package enum TimeUnit: Sendable, Hashable {
        case milliseconds, microseconds
    }

    /// How the values are stored in the file.
    var physical: PhysicalType {
        switch self {
        case .boolean: .boolean
        case .int32, .date: .int32
        case .int64, .timestamp: .int64
        case .double: .double
        case .string: .byteArray
        }
    }
}

/// `Type` of the Parquet format, with its numbers.
enum PhysicalType: Int32, Sendable, Hashable {
    case boolean = 0
    case int32 = 1
    case int64 = 2
    case double = 5
    case byteArray = 6
}
