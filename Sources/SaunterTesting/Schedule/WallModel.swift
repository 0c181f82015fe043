import SaunterCore

/// A second opinion on wall time, slow and plain: it tries every offset that a zone has around a date. It shares
/// no code with the resolver, and asks the zone for its offset only.
struct WallModel {
    let zone: Zone

    /// Every instant at which the clock shows this time, in order; where there is none, the end of the gap that
    /// swallowed it, and whether the date went with it.
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
                let day = (wall >= 0 ? wall : wall - 86_399) / 86_400
                let dayAfter = (after >= 0 ? after : after - 86_399) / 86_400
                return ([], change, day == dayAfter)
            }
        }
        return ([], nil, true)
    }

    /// Whether the clock runs evenly around these moments, so that wall time is plain arithmetic.
    func isEven(_ from: Instant, _ to: Instant) -> Bool {
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

    func first(_ date: LocalDate, _ seconds: Int) -> Instant? {
        let found = instants(date, seconds)
        return found.shown.first ?? found.gapEnd
    }

    func last(_ date: LocalDate, _ seconds: Int) -> Instant? {
        let found = instants(date, seconds)
        return found.shown.last ?? found.gapEnd
    }
}
