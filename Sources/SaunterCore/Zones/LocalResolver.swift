/// The instants that correspond to a local date and time in a zone.
package enum LocalResolution: Sendable, Hashable {
    /// `first` and `last` differ if the clock shows this local time twice. `isAdjusted` is true if a zone transition
    /// affects the result: the clock shows the time twice, or it skips the time and the result is the first instant
    /// after the gap.
    case instants(first: Instant, last: Instant, isAdjusted: Bool)
    /// The zone skips the local date completely (example: Apia, 2011-12-30).
    case nonexistentDay
}

/// Converts local time to instants. This is the only code that does so. It uses only the zone's offset at a given
/// instant.
package enum LocalResolver {
    /// Finds the instants at which the zone's clock shows a local time.
    /// - Parameter secondsOfDay: seconds of local time since 00:00 of `date`. Values beyond one day are on a later
    ///   date, negative values on an earlier date.
    package static func resolve(date: LocalDate, secondsOfDay: Int, zone: Zone) -> LocalResolution {
        let moment = moment(date: date, secondsOfDay: secondsOfDay, zone: zone)
        return moment.dayExists
            ? .instants(first: moment.first, last: moment.last, isAdjusted: moment.isAdjusted)
            : .nonexistentDay
    }

    /// Like `resolve`, but also returns an instant for times on a skipped date: the first instant after that date. A
    /// time in a gap at the end of an existing date is the first instant of the next date.
    static func moment(date: LocalDate, secondsOfDay: Int, zone: Zone) -> LocalMoment {
        let bounded = Int64(min(max(secondsOfDay, -400_000_000_000), 400_000_000_000))
        let wall = Int64(date.days) * 86_400 + bounded
        let before = Int64(zone.offset(at: second(wall - day)))
        let after = Int64(zone.offset(at: second(wall + day)))
        let early = second(wall - before)
        if before == after { return LocalMoment(first: early, last: early) }

        let late = second(wall - after)
        let isEarlyValid = zone.offset(at: early) == Int(before)
        let isLateValid = zone.offset(at: late) == Int(after)
        switch (isEarlyValid, isLateValid) {
        case (true, true):
            return LocalMoment(first: min(early, late), last: max(early, late), isAdjusted: true)
        case (true, false): return LocalMoment(first: early, last: early)
        case (false, true): return LocalMoment(first: late, last: late)
        case (false, false):
            let end = change(zone, from: wall - day, to: wall + day)
            // The zone skips the complete date only if the gap begins at or before its midnight and ends with the date.
            let midnight = Int64(split(wall).date.days) * day
            let exists = end + before > midnight || end + after < midnight + day
            return LocalMoment(first: second(end), last: second(end), isAdjusted: true, dayExists: exists)
        }
    }

    /// Splits seconds of local time since 1970-01-01 00:00 into a date and the seconds of that day.
    static func split(_ wall: Int64) -> (date: LocalDate, seconds: Int) {
        let days = (wall >= 0 ? wall : wall - (day - 1)) / day
        return (LocalDate(days: Int(days)), Int(wall - days * day))
    }

    /// One day in seconds. No zone is more than 16 hours from UTC, so the relevant transition is within one day.
    private static let day: Int64 = 86_400

    private static func second(_ seconds: Int64) -> Instant {
        Instant(milliseconds: seconds * 1000)
    }

    /// The first second at which the offset differs from the offset at `from`. Binary search.
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

/// The instants at which a clock shows one local time.
struct LocalMoment {
    var first: Instant
    var last: Instant
    var isAdjusted = false
    var dayExists = true
}
