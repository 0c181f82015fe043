/// One column of a Parquet file.
package struct ParquetColumn: Sendable, Hashable {
    package let name: String
    package let type: ParquetType
    /// Whether every row has a value; a null is refused then.
    package let isRequired: Bool

    package init(_ name: String, _ type: ParquetType, isRequired: Bool = false) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
    }
}

/// What the values of a column are. Dates are days since 1970-01-01, timestamps their unit since then.
package enum ParquetType: Sendable, Hashable {
    case boolean, int32, int64, double
    /// UTF-8.
    case string
    case date
    /// - Parameter isUTC: an instant in UTC; else the reading of some wall clock.
    case timestamp(TimeUnit, isUTC: Bool)

    /// In which timestamps count.
    package enum TimeUnit: Sendable, Hashable {
        case milliseconds, microseconds
    }

    /// How the values lie in the file.
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

/// `Type` of the format, with its numbers.
enum PhysicalType: Int32, Sendable, Hashable {
    case boolean = 0
    case int32 = 1
    case int64 = 2
    case double = 5
    case byteArray = 6
}
