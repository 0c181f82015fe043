extension Zone {
    /// What the clock on the wall shows at this moment; the offset is minutes east of UTC (cut, for the zones
    /// of former times whose offsets had seconds).
    package func local(of instant: Instant) -> (date: LocalDate, time: LocalTime, offsetMinutes: Int) {
        let offset = offset(at: instant)
        let (date, seconds) = LocalResolver.split(instant.seconds + Int64(offset))
        return (date, LocalTime(seconds: seconds) ?? .midnight, offset / 60)
    }

    /// Whether both clocks show the same time up to this moment, from the day before on.
    func agrees(with other: Zone, upTo moment: Instant) -> Bool {
        self == other
            || [moment.adding(seconds: -86_400), moment].allSatisfy { offset(at: $0) == other.offset(at: $0) }
    }

    /// The first instant of a local day: 00:00 where there is one, else the end of the gap that swallowed it.
    /// Of a day that does not exist it is the start of the next that does.
    package func startOfDay(_ date: LocalDate) -> Instant {
        LocalResolver.moment(date: date, secondsOfDay: 0, zone: self).first
    }
}
