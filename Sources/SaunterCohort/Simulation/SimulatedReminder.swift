import SaunterCore

/// A due-today mail that goes out in a dry run.
package struct SimulatedReminder: Sendable, Hashable {
    package var at: Instant
    package var date: LocalDate
    /// How many occasions it counts.
    package var count: Int
    /// Of these, how many were answered already, on a device that had no network.
    package var answeredCount: Int

    /// Every mail to somebody: at each hour of the study's rule, what is due by what the server knows then.
    static func all(of life: SimulatedLife, study: Study, planner: Planner) -> [SimulatedReminder] {
        guard let rule = study.reminder else { return [] }
        let status = planner.input.status
        let reminded = Set(study.schedules.filter(\.reminded).map(\.id))
        // Before somebody leaves, nothing is set aside because of it.
        let asking = life.occasions.filter {
            ($0.setAside == nil || $0.setAside == .withdrawn) && reminded.contains($0.key.schedule)
        }
        guard let last = asking.map(\.window.closeAt).max() else { return [] }
        let end = min(life.until, last)
        var reminders: [SimulatedReminder] = []
        var now = life.course.joinedAt
        while true {
            now = rule.next(after: now, chosen: nil, zone: planner.zone(at: now))
            guard now < end, status.isEnrolled(at: now) else { return reminders }
            let zone = planner.zone(at: now)
            guard !status.isPaused(at: now), !rule.isQuiet(zone.local(of: now).time) else { continue }
            let near = asking.filter { occasion in
                occasion.window.closeAt > now && occasion.window.openAt < now.adding(seconds: 2 * 86_400)
                    && life.receivedAt[occasion.id].map { $0 > now } ?? true
            }.map { occasion in
                var unknown = occasion
                unknown.setAside = nil
                unknown.completedAt = nil
                unknown.sheetID = nil
                return unknown
            }
            let due = study.dueToday(near, at: now, zone: zone)
            guard !due.isEmpty else { continue }
            let ids = Set(due.map(\.id))
            let answered = asking.filter { ids.contains($0.id) && $0.completedAt.map { $0 <= now } ?? false }
            reminders.append(
                SimulatedReminder(
                    at: now, date: zone.local(of: now).date, count: due.count, answeredCount: answered.count))
        }
    }
}
