/// The participant's clock over time. It shows the local time of the zone in which the participant is.
struct RuleClock {
    private let zones: ZoneHistory

    /// - Parameter now: later changes of zone are not known.
    init(_ changes: [ZoneChange], enrolledAt: Instant, fallback: Zone, at now: Instant) {
        zones = ZoneHistory(
            changes.filter { $0.from <= max(now, enrolledAt) }, enrolledAt: enrolledAt, fallback: fallback)
    }

    /// A clock that always shows the time of one zone.
    init(_ zone: Zone) {
        zones = ZoneHistory(zone)
    }

    /// The participant's zone at an instant.
    func zone(at instant: Instant) -> Zone { zones.zone(at: instant) }

    /// The local date and time at an instant.
    func local(of instant: Instant) -> (date: LocalDate, time: LocalTime) {
        let local = zone(at: instant).local(of: instant)
        return (local.date, local.time)
    }

    /// The local date at an instant.
    func date(of instant: Instant) -> LocalDate { local(of: instant).date }

    /// The first instant at which the clock shows this local date and time or a later one.
    ///
    /// A time that a zone transition or a journey skips therefore happens at the end of the gap, and a time that the
    /// clock shows twice happens once.
    func instant(_ date: LocalDate, _ secondsOfDay: Int) -> Instant {
        var start = Instant.minimum
        var zone = zones.initial
        for change in zones.changes {
            let moment = max(
                LocalResolver.moment(date: date, secondsOfDay: secondsOfDay, zone: zone).first, start)
            if moment < change.from { return moment }
            start = change.from
            zone = change.zone
        }
        return max(LocalResolver.moment(date: date, secondsOfDay: secondsOfDay, zone: zone).first, start)
    }

    /// The first instant of a local date.
    func start(of date: LocalDate) -> Instant { instant(date, 0) }

    /// The instant some time after another one.
    func instant(_ span: DecisionPoint.Span, times count: Int = 1, after start: Instant) -> Instant {
        switch span {
        case .seconds(let seconds):
            return start.adding(milliseconds: Int64(min(max(seconds, 0), 400_000_000)) * 1000 * Int64(count))
        case .months(let months):
            let local = local(of: start)
            return instant(local.date.adding(months: min(max(months, 0), 1200) * count), local.time.seconds)
        }
    }
}

extension LocalDate {
    /// The same day some months later, or the last day of that month if the month is shorter.
    func adding(months count: Int) -> LocalDate {
        let (year, month, day) = components
        let index = year * 12 + month - 1 + count
        let (newYear, newMonth) = (index / 12, index % 12 + 1)
        guard (1...9999).contains(newYear) else { return .maximum }
        let last = LocalDate.length(ofMonth: newMonth, year: newYear)
        return LocalDate(year: newYear, month: newMonth, day: Swift.min(day, last)) ?? .maximum
    }
}
