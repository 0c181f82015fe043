/// Instants and days, which Swift programs hold as plain numbers and so cannot be told apart by type.
enum TimeDecoding {
    /// Unix milliseconds of a `timestamptz`, rounded down; nil for infinities.
    static func milliseconds(_ value: BinaryValue) -> Int64? {
        guard value.type == .timestamptz, let microseconds = value.whole(Int64.self), microseconds != .min,
            microseconds != .max
        else { return nil }
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return quotient - (remainder < 0 ? 1 : 0) + BinaryForm.epochMilliseconds
    }

    /// Days since 1970-01-01 of a `date`; nil for infinities.
    static func days(_ value: BinaryValue) -> Int? {
        guard value.type == .date, let days = value.whole(Int32.self), days != .min, days != .max else {
            return nil
        }
        return Int(days) + BinaryForm.epochDays
    }

    /// All elements of an array; nil when one is NULL or does not fit.
    static func elements<Value>(_ value: BinaryValue, _ decode: (BinaryValue) -> Value?) -> [Value]? {
        guard var reader = ArrayReader(value) else { return nil }
        var elements: [Value] = []
        elements.reserveCapacity(reader.count)
        for _ in 0..<reader.count {
            guard let next = reader.next(), let bytes = next, let element = decode(bytes) else { return nil }
            elements.append(element)
        }
        return elements
    }
}
