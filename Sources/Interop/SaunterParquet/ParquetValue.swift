/// One value of a row; nil represents null.
package enum ParquetValue: Sendable, Hashable {
    case boolean(Bool)
    /// For columns of `int32` and `date`.
    case int32(Int32)
    /// For columns of `int64` and `timestamp`.
    case int64(Int64)
    case double(Double)
    case string(String)
}
