extension CSVBuffer {
    private static let day: Int64 = 86_400_000_000

    /// `yyyy-mm-ddThh:mm:ss.sss` of microseconds since 2000-01-01T00:00, those beyond the millisecond cut off; nothing for
    /// PostgreSQL's infinities.
    mutating func putMoment(_ microseconds: Int64) {
        guard microseconds != .max, microseconds != .min else { return }
        let days = microseconds.dividedFloor(by: Self.day)
        let rest = UInt64(microseconds - days * Self.day)
        putDate(days)
        put(UInt8(ascii: "T"))
        put(rest / 3_600_000_000, digits: 2)
        put(UInt8(ascii: ":"))
        put(rest / 60_000_000 % 60, digits: 2)
        put(UInt8(ascii: ":"))
        put(rest / 1_000_000 % 60, digits: 2)
        put(UInt8(ascii: "."))
        put(rest / 1000 % 1000, digits: 3)
    }

    /// The Gregorian calendar's date so many days after 2000-01-01, by eras of 400 years that begin in March. A year before
    /// the first is written by its number, as `to_char` does.
    private mutating func putDate(_ days: Int64) {
        let sinceEpoch = days + 730_425
        let era = sinceEpoch.dividedFloor(by: 146_097)
        let dayOfEra = sinceEpoch - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        put((year > 0 ? year : 1 - year).magnitude, digits: 4)
        put(UInt8(ascii: "-"))
        put(month.magnitude, digits: 2)
        put(UInt8(ascii: "-"))
        put((dayOfYear - (153 * shifted + 2) / 5 + 1).magnitude, digits: 2)
    }
}

extension Int64 {
    /// The quotient rounded down.
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        self % divisor < 0 ? self / divisor - 1 : self / divisor
    }
}
