extension Zone {
    /// The local date and time at this instant. The offset is in minutes east of UTC; the seconds of historical offsets
    /// are dropped.
    package func local(of instant: Instant) -> (date: LocalDate, time: LocalTime, offsetMinutes: Int) {
        let offset = offset(at: instant)
        let (date, seconds) = LocalResolver.split(instant.seconds + Int64(offset))
        return (date, LocalTime(seconds: seconds) ?? .midnight, offset / 60)
    }

    /// Whether both zones have the same offset at this instant and one day before it.
    func hasSameClock(as other: Zone, upTo moment: Instant) -> Bool {
        self == other
            || [moment.adding(seconds: -86_400), moment].allSatisfy { offset(at: $0) == other.offset(at: $0) }
    }

    /// The first instant of a local day: 00:00, or the end of the gap if the zone skips midnight. For a skipped date it
    /// is the start of the next existing date.
    package func startOfDay(_ date: LocalDate) -> Instant {
        LocalResolver.moment(date: date, secondsOfDay: 0, zone: self).first
    }
}
