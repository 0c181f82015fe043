/// Decodes instants and dates. Callers hold both as integers, so `PostgresDecodable` cannot select the format by the
/// Swift type.
enum TimeDecoding {
    /// Unix milliseconds of a `timestamptz`, rounded down. Nil for infinities and for other types.
    static func milliseconds(_ value: BinaryValue) -> Int64? {
        guard value.type == .timestamptz, let microseconds = value.exactInteger(Int64.self),
            microseconds != .min,
            microseconds != .max
        else { return nil }
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return quotient - (remainder < 0 ? 1 : 0) + BinaryEncoding.epochMilliseconds
    }

    /// Days since 1970-01-01 of a `date`. Nil for infinities and for other types.
    static func days(_ value: BinaryValue) -> Int? {
        guard value.type == .date, let days = value.exactInteger(Int32.self), days != .min, days != .max
        else {
            return nil
        }
        return Int(days) + BinaryEncoding.epochDays
    }

    /// All elements of an array. Nil if an element is NULL or does not fit.
    static func elements<Value>(_ value: BinaryValue, _ decode: (BinaryValue) -> Value?) -> [Value]? {
        ArrayReader.decodeAll(value) { $0.flatMap(decode) }
    }
}
