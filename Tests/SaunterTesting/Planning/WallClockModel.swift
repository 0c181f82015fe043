import SaunterCore

/// A second, slow and simple implementation of local time. It tries every offset that a zone has near a date. It shares
/// no code with the resolver and uses only the zone's offset at an instant.
struct WallClockModel {
    let zone: Zone

    /// All instants at which the clock shows this time, in order. If there are none: the end of the gap, and whether
    /// the date exists.
    func instants(_ date: LocalDate, _ seconds: Int) -> (shown: [Instant], gapEnd: Instant?, dateExists: Bool)
    {
        let wall = Int64(date.days) * 86_400 + Int64(seconds)
        let samples = stride(from: wall - 28 * 3600, through: wall + 28 * 3600, by: 1800).map { second in
            (second, Int64(zone.offset(at: Instant(milliseconds: second * 1000))))
        }
        let shown = Set(samples.map(\.1)).map { Instant(milliseconds: (wall - $0) * 1000) }
            .filter { $0.seconds + Int64(zone.offset(at: $0)) == wall }.sorted()
        if !shown.isEmpty { return (shown, nil, true) }
        for (left, right) in zip(samples, samples.dropFirst()) where left.1 != right.1 {
            guard
                let change = zone.change(
                    between: Instant(milliseconds: left.0 * 1000), and: Instant(milliseconds: right.0 * 1000))
            else { continue }
            let before = change.seconds + left.1
            let after = change.seconds + right.1
            if before <= wall, wall < after {
                let midnight = (wall >= 0 ? wall : wall - 86_399) / 86_400 * 86_400
                // A date exists if its clock shows at least one quarter of an hour of it.
                let isShown = stride(from: midnight, to: midnight + 86_400, by: 900).contains { quarter in
                    quarter < before || quarter >= after
                }
                return ([], change, isShown)
            }
        }
        return ([], nil, true)
    }

    /// Whether the offset is constant from 60 hours before the first moment to 60 hours after the second.
    func isOffsetConstant(_ from: Instant, _ to: Instant) -> Bool {
        let step = 30 * 3600
        let first = from.adding(seconds: -2 * step)
        let offset = zone.offset(at: first)
        var moment = first
        while moment <= to.adding(seconds: 2 * step) {
            if zone.offset(at: moment) != offset { return false }
            moment = moment.adding(seconds: step)
        }
        return zone.offset(at: to.adding(seconds: 2 * step)) == offset
    }

    /// The first instant at which the clock shows this time. In a gap, the end of the gap.
    func first(_ date: LocalDate, _ seconds: Int) -> Instant? {
        let found = instants(date, seconds)
        return found.shown.first ?? found.gapEnd
    }

    /// The last instant at which the clock shows this time. In a gap, the end of the gap.
    func last(_ date: LocalDate, _ seconds: Int) -> Instant? {
        let found = instants(date, seconds)
        return found.shown.last ?? found.gapEnd
    }
}
