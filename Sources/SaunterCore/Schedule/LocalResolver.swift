/// What a wall-clock time means in a zone.
package enum LocalResolution: Sendable, Hashable {
    /// `first` and `last` differ where the clock showed this time twice. `adjusted` says that a change of the
    /// clock decided: the time was shown twice, or never and the first instant after the gap stands for it.
    case instants(first: Instant, last: Instant, adjusted: Bool)
    /// The whole local day was left out (Apia, 2011-12-30).
    case nonexistentDay
}

/// The one place where wall time becomes an instant. It asks a zone for nothing but its offset at a moment.
package enum LocalResolver {
    /// - Parameter secondsOfDay: by the clock face since 00:00 of `date`; beyond a day it means a later date,
    ///   below zero an earlier one.
    package static func resolve(date: LocalDate, secondsOfDay: Int, zone: Zone) -> LocalResolution {
        let moment = moment(date: date, secondsOfDay: secondsOfDay, zone: zone)
        return moment.dayExists
            ? .instants(first: moment.first, last: moment.last, adjusted: moment.adjusted) : .nonexistentDay
    }

    /// The same without refusing days that do not exist: the first instant after them stands for every time
    /// of theirs.
    static func moment(date: LocalDate, secondsOfDay: Int, zone: Zone) -> LocalMoment {
        let bounded = Int64(min(max(secondsOfDay, -400_000_000_000), 400_000_000_000))
        let wall = Int64(date.days) * 86_400 + bounded
        let before = Int64(zone.offset(at: second(wall - day)))
        let after = Int64(zone.offset(at: second(wall + day)))
        let early = second(wall - before)
        if before == after { return LocalMoment(first: early, last: early) }

        let late = second(wall - after)
        let earlyHolds = zone.offset(at: early) == Int(before)
        let lateHolds = zone.offset(at: late) == Int(after)
        switch (earlyHolds, lateHolds) {
        case (true, true): return LocalMoment(first: min(early, late), last: max(early, late), adjusted: true)
        case (true, false): return LocalMoment(first: early, last: early)
        case (false, true): return LocalMoment(first: late, last: late)
        case (false, false):
            let end = change(zone, from: wall - day, to: wall + day)
            let exists = split(end + after).date == split(wall).date
            return LocalMoment(first: second(end), last: second(end), adjusted: true, dayExists: exists)
        }
    }

    /// Date and second of the day of a count of wall seconds since 1970.
    static func split(_ wall: Int64) -> (date: LocalDate, seconds: Int) {
        let days = (wall >= 0 ? wall : wall - (day - 1)) / day
        return (LocalDate(days: Int(days)), Int(wall - days * day))
    }

    /// No zone is further than 16 hours from UTC, so a day to either side holds the change that matters.
    private static let day: Int64 = 86_400

    private static func second(_ seconds: Int64) -> Instant {
        Instant(milliseconds: seconds * 1000)
    }

    /// The first second at which the offset is no longer that of `from`.
    private static func change(_ zone: Zone, from: Int64, to: Int64) -> Int64 {
        let old = zone.offset(at: second(from))
        var low = from
        var high = to
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if zone.offset(at: second(middle)) == old { low = middle } else { high = middle }
        }
        return high
    }
}

/// The instants at which a clock shows one wall time.
struct LocalMoment {
    var first: Instant
    var last: Instant
    var adjusted = false
    var dayExists = true
}
