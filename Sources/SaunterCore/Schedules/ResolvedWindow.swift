/// An assessment window in one zone.
struct ResolvedWindow: Sendable, Hashable {
    var window: AssessmentWindow
    var zone: Zone
    var localDate: LocalDate
    /// Whether a zone transition moved or stretched the window.
    var isAdjusted = false
    var dayExists = true
}

extension Slot {
    /// The window of a slot that opens at a local time.
    ///
    /// If a local time occurs twice, `openAt` and `visibleAt` are the first instant, and `dueAt` and `closeAt` are the
    /// last. A window is therefore never shorter than planned in a night that has an extra hour. If a gap leaves the
    /// window without any length, it gets its nominal length from the end of the gap.
    ///
    /// - Parameters:
    ///   - seconds: opening time, in seconds of local time since 00:00 of the date.
    ///   - floor: the earliest opening: the close of the previous window, or the end of the gap after the previous
    ///     random opening. It has an effect only on days with a zone transition, when two consecutive windows would
    ///     otherwise overlap or be too close.
    ///   - ceiling: the latest opening of a random window, if that is not before `floor`.
    func window(
        date: LocalDate, opening seconds: Int, zone: Zone, floor: Instant?, ceiling: Instant? = nil
    ) -> ResolvedWindow {
        func at(_ offset: Int) -> LocalMoment {
            LocalResolver.moment(date: date, secondsOfDay: seconds + offset, zone: zone)
        }
        let closeLength = Self.bounded(closeAfter)
        let dueLength = min(Self.bounded(dueAfter), closeLength)
        let visible = at(-Self.bounded(visibleBefore))
        let opening = at(0)
        let due = at(dueLength)
        let close = at(closeLength)

        let openAt = max(min(opening.first, ceiling ?? .maximum), floor ?? .minimum)
        // A random window that was moved has its nominal length. Others keep the local time at which they end.
        let isMovedDraw = ceiling != nil && openAt != opening.first
        let closeAt =
            close.last > openAt && !isMovedDraw ? close.last : openAt.adding(seconds: closeLength)
        var dueAt = due.last
        if dueAt <= openAt || isMovedDraw { dueAt = openAt.adding(seconds: dueLength) }
        let window = AssessmentWindow(
            visibleAt: min(visible.first, openAt), openAt: openAt, dueAt: min(dueAt, closeAt),
            closeAt: closeAt)
        let isStretched = closeAt.milliseconds(since: openAt) != Int64(closeLength) * 1000
        let isMoved =
            visible.isAdjusted || opening.isAdjusted || due.isAdjusted || close.isAdjusted
            || openAt != opening.first
        return ResolvedWindow(
            window: window, zone: zone, localDate: date, isAdjusted: isMoved || isStretched,
            dayExists: opening.dayExists)
    }

    /// The window of a slot that opens at an instant. Due and close count elapsed seconds, so zone transitions have no
    /// effect.
    func window(openAt: Instant, zone: Zone) -> ResolvedWindow {
        let closeLength = Self.bounded(closeAfter)
        let window = AssessmentWindow(
            visibleAt: openAt.adding(seconds: -Self.bounded(visibleBefore)), openAt: openAt,
            dueAt: openAt.adding(seconds: min(Self.bounded(dueAfter), closeLength)),
            closeAt: openAt.adding(seconds: closeLength))
        return ResolvedWindow(window: window, zone: zone, localDate: zone.local(of: openAt).date)
    }
}
