import SaunterCore

/// A second, simple implementation of planning for a participant who does not travel. It visits the days and slots one
/// by one and uses `WallClockModel` for local time. Only the random moments are taken from the plan under test.
struct PlanModel {
    struct Window: Equatable {
        var date: LocalDate
        var visible: Instant
        var open: Instant
        var due: Instant
        var close: Instant
        var dayExists = true
        /// The participant's date at the opening, if the window opens after an anchor. Phases count in this calendar.
        var phaseDate: LocalDate?
    }

    let input: PlanInput
    let zone: Zone
    /// Opening of random windows, in seconds of their day.
    let random: [OccasionKey: Int]

    func windows() -> [OccasionKey: Window] {
        var windows: [OccasionKey: Window] = [:]
        for schedule in input.study.schedules {
            for start in starts(of: schedule) { add(schedule, start, &windows) }
        }
        return windows
    }

    struct Start {
        var instance: String
        var date: LocalDate
        var at: Instant?
    }

    var enrolledOn: LocalDate { date(of: input.enrolledAt, zone) }

    func date(of instant: Instant, _ zone: Zone) -> LocalDate {
        let wall = instant.seconds + Int64(zone.offset(at: instant))
        return LocalDate(days: Int((wall >= 0 ? wall : wall - 86_399) / 86_400))
    }

    func starts(of schedule: Schedule) -> [Start] {
        func from(_ moment: Instant?) -> [Start] {
            moment.map { [Start(instance: "", date: date(of: $0, zone), at: $0)] } ?? []
        }
        switch schedule.anchor {
        case .enrolment: return from(input.enrolledAt)
        case .studyDate(let date): return [Start(instance: "", date: date)]
        case .event: return from(home)
        case .firstCompletion: return from(sheets(of: ["q0"]).map(\.at).min())
        case .phase("days"): return [Start(instance: "", date: enrolledOn.adding(days: 2))]
        case .phase: return from(home)
        case .walk, .completion, .completionOfAny, .completionOfPractice:
            let all =
                switch schedule.anchor {
                case .walk: input.anchors.filter { $0.anchor == .walk }
                case .completionOfAny(let codes): sheets(of: codes)
                case .completionOfPractice: sheets(of: ["p0", "p1"])
                default: sheets(of: ["q0"])
                }
            var countOfDay: [LocalDate: Int] = [:]
            return all.sorted { ($0.at, $0.instance) < ($1.at, $1.instance) }.compactMap { event in
                let day = date(of: event.at, zone)
                countOfDay[day, default: 0] += 1
                if let maximum = schedule.maxPerDay, countOfDay[day, default: 0] > maximum { return nil }
                return Start(instance: event.instance, date: day, at: event.at)
            }
        }
    }

    private var home: Instant? { input.anchors.first { $0.anchor == .event("home") }?.at }
    private func sheets(of codes: [String]) -> [AnchorEvent] {
        input.anchors.filter { event in
            if case .completion(let code) = event.anchor { codes.contains(code) } else { false }
        }
    }

    private func add(_ schedule: Schedule, _ start: Start, _ windows: inout [OccasionKey: Window]) {
        var lastClose: (wall: Int, instant: Instant)?
        let clock: Zone = if case .study(let zone) = schedule.zonePolicy { zone } else { zone }
        for day in Self.days(schedule, start.date) {
            var index = 0
            var ofDay: [(wall: Int?, key: OccasionKey, slot: Slot)] = []
            for slot in schedule.slots {
                var copies = 1
                if case .random(_, _, let count, _) = slot.opening { copies = count }
                for _ in 0..<copies {
                    let key = OccasionKey(
                        schedule: schedule.id, anchorInstance: start.instance, dayIndex: day, slotIndex: index
                    )
                    index += 1
                    switch slot.opening {
                    case .fixed(let time): ofDay.append((time.seconds, key, slot))
                    case .afterAnchor: ofDay.append((nil, key, slot))
                    case .random: if let wall = random[key] { ofDay.append((wall, key, slot)) }
                    }
                }
            }
            var lastRandom: Instant?
            for (wall, key, slot) in ofDay.sorted(by: { ($0.wall ?? 0) < ($1.wall ?? 0) }) {
                let date = start.date.adding(days: day)
                var window: Window
                if let wall {
                    let nominal = day * 86_400 + wall
                    var floor = lastClose.flatMap { nominal >= $0.wall ? $0.instant : nil }
                    var latest: (wall: Int, secondsBefore: Int)?
                    if case .random(let from, let to, let count, let gap) = slot.opening {
                        // A schedule with a random slot has no other slot.
                        latest = (to.seconds + (to > from ? 0 : 86_400), (count - 1 - key.slotIndex) * gap)
                        if let lastRandom { floor = max(floor ?? .minimum, lastRandom.adding(seconds: gap)) }
                    }
                    window = byClock(date, wall, slot, clock, floor, latest)
                    if latest != nil { lastRandom = window.open }
                    if window.dayExists {
                        lastClose = (
                            max(lastClose?.wall ?? .min, nominal + slot.closeAfter),
                            max(lastClose?.instant ?? .minimum, window.close)
                        )
                    }
                } else {
                    guard let afterAnchor = byAnchor(day, start, slot, clock) else { continue }
                    window = afterAnchor
                }
                if belongs(window, schedule, start) { windows[key] = window }
            }
        }
    }

    /// - Parameter latest: for a random window, the end of its span, and the seconds that its later windows need.
    private func byClock(
        _ date: LocalDate, _ wall: Int, _ slot: Slot, _ zone: Zone, _ floor: Instant?,
        _ latest: (wall: Int, secondsBefore: Int)?
    ) -> Window {
        let model = WallClockModel(zone: zone)
        let offset = zone.offset(at: Instant(milliseconds: (Int64(date.days) * 86_400 + Int64(wall)) * 1000))
        func plain(_ seconds: Int) -> Instant {
            Instant(milliseconds: (Int64(date.days) * 86_400 + Int64(seconds - offset)) * 1000)
        }
        let isOffsetConstant = model.isOffsetConstant(
            plain(wall - slot.visibleBefore), plain(wall + slot.closeAfter))
        func first(_ seconds: Int) -> Instant {
            isOffsetConstant ? plain(seconds) : model.first(date, seconds) ?? .minimum
        }
        func last(_ seconds: Int) -> Instant {
            isOffsetConstant ? plain(seconds) : model.last(date, seconds) ?? .minimum
        }
        var open = first(wall)
        if let latest { open = min(open, last(latest.wall).adding(seconds: -latest.secondsBefore)) }
        open = max(open, floor ?? .minimum)
        let isMovedDraw = latest != nil && open != first(wall)
        var close = last(wall + slot.closeAfter)
        if close <= open || isMovedDraw { close = open.adding(seconds: slot.closeAfter) }
        var due = last(wall + slot.dueAfter)
        if due <= open || isMovedDraw { due = open.adding(seconds: slot.dueAfter) }
        return Window(
            date: date, visible: min(first(wall - slot.visibleBefore), open), open: open,
            due: min(due, close),
            close: close, dayExists: isOffsetConstant || model.instants(date, wall).dateExists)
    }

    private func byAnchor(_ day: Int, _ start: Start, _ slot: Slot, _ zone: Zone) -> Window? {
        guard case .afterAnchor(let delay) = slot.opening, let at = start.at else { return nil }
        var from = at
        var exists = true
        if day > 0 {
            let first = date(of: at, zone)
            let wall = at.seconds + Int64(zone.offset(at: at)) - Int64(first.days) * 86_400
            let date = first.adding(days: day)
            guard let moment = WallClockModel(zone: zone).first(date, Int(wall)) else { return nil }
            from = moment
            exists = WallClockModel(zone: zone).instants(date, Int(wall)).dateExists
        }
        let open = from.adding(seconds: delay)
        return Window(
            date: date(of: open, zone), visible: open.adding(seconds: -slot.visibleBefore), open: open,
            due: open.adding(seconds: min(slot.dueAfter, slot.closeAfter)),
            close: open.adding(seconds: slot.closeAfter), dayExists: exists,
            phaseDate: date(of: open, self.zone))
    }

    /// Whether the window is in the study's time and in its phase, and closes after the enrolment and the anchor.
    private func belongs(_ window: Window, _ schedule: Schedule, _ start: Start) -> Bool {
        guard window.close > max(input.enrolledAt, start.at ?? .minimum),
            window.date <= enrolledOn.adding(days: input.study.days)
        else { return false }
        let phaseDate = window.phaseDate ?? window.date
        switch schedule.phase {
        case nil: return true
        case "days":
            return phaseDate >= enrolledOn.adding(days: 2) && phaseDate <= enrolledOn.adding(days: 6)
        case "before": return phaseDate >= enrolledOn && home.map { window.open < $0 } ?? true
        default:
            guard let home else { return false }
            let first = date(of: home, zone)
            return window.open >= home && phaseDate >= first && phaseDate < first.adding(days: 4)
        }
    }

    /// The days of a recurrence, checked one by one.
    static func days(_ schedule: Schedule, _ start: LocalDate) -> [Int] {
        var days: [Int] = []
        let offset = schedule.offsetDays
        for day in offset...offset + 40 {
            let date = start.adding(days: day)
            let isIncluded: Bool
            switch schedule.recurrence {
            case .once: isIncluded = day == offset
            case .every(let step, let until):
                isIncluded = day <= until && stride(from: offset, through: day, by: step).contains(day)
            case .weekly(let weekdays, let weeks, let until):
                let first = start.adding(days: offset)
                let monday = first.adding(days: 1 - first.weekday)
                let daysSinceMonday = date.adding(days: 1 - date.weekday).days - monday.days
                isIncluded =
                    day <= until && weekdays.contains(date.weekday) && daysSinceMonday % (7 * weeks) == 0
            case .monthly(let wanted, let until):
                let isLast = date.adding(days: 1).components.day == 1
                let today = date.components.day
                isIncluded = day <= until && wanted.contains { $0 == today || (isLast && $0 > today) }
            case .cycle(let length, let offsets, let until):
                isIncluded =
                    day <= until
                    && stride(from: offset, through: day, by: length).contains {
                        offsets.contains(day - $0) && day - $0 < length
                    }
            }
            if isIncluded { days.append(day) }
        }
        return schedule.count.map { Array(days.prefix($0)) } ?? days
    }
}
