/// A window in a zone.
struct ResolvedWindow: Sendable, Hashable {
    var window: AssessmentWindow
    var zone: Zone
    var localDate: LocalDate
    /// A change of the clock touched it.
    var adjusted = false
    var dayExists = true
}

extension Slot {
    /// The window of a slot that opens by the clock. Opening and visibility take the first of two instants,
    /// due and close the last, so that a night with an hour more never shortens a window; a window that a gap
    /// leaves without any length gets its nominal length from the gap's end on.
    /// - Parameters:
    ///   - seconds: the opening, in wall seconds since 00:00 of the date.
    ///   - floor: the close of the window before it. It only ever matters on the nights when the clock
    ///     changes, where two windows that touch on the wall would else share an hour.
    func window(date: LocalDate, opening seconds: Int, zone: Zone, floor: Instant?) -> ResolvedWindow {
        func at(_ offset: Int) -> LocalMoment {
            LocalResolver.moment(date: date, secondsOfDay: seconds + offset, zone: zone)
        }
        let closeLength = Self.bounded(closeAfter)
        let dueLength = min(Self.bounded(dueAfter), closeLength)
        let visible = at(-Self.bounded(visibleBefore))
        let opening = at(0)
        let due = at(dueLength)
        let close = at(closeLength)

        let openAt = max(opening.first, floor ?? .minimum)
        let closeAt = close.last > openAt ? close.last : openAt.adding(seconds: closeLength)
        var dueAt = due.last
        if dueAt <= openAt { dueAt = openAt.adding(seconds: dueLength) }
        let window = AssessmentWindow(
            visibleAt: min(visible.first, openAt), openAt: openAt, dueAt: min(dueAt, closeAt),
            closeAt: closeAt)
        let stretched = closeAt.milliseconds(since: openAt) != Int64(closeLength) * 1000
        let moved =
            visible.adjusted || opening.adjusted || due.adjusted || close.adjusted || openAt != opening.first
        return ResolvedWindow(
            window: window, zone: zone, localDate: date, adjusted: moved || stretched,
            dayExists: opening.dayExists)
    }

    /// The window of a slot that opens at an instant. Its lengths are elapsed seconds: no clock has a part in
    /// it.
    func window(openAt: Instant, zone: Zone) -> ResolvedWindow {
        let closeLength = Self.bounded(closeAfter)
        let window = AssessmentWindow(
            visibleAt: openAt.adding(seconds: -Self.bounded(visibleBefore)), openAt: openAt,
            dueAt: openAt.adding(seconds: min(Self.bounded(dueAfter), closeLength)),
            closeAt: openAt.adding(seconds: closeLength))
        return ResolvedWindow(window: window, zone: zone, localDate: zone.local(of: openAt).date)
    }
}
