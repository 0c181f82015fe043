import Foundation
import SaunterCore

extension PlanCase {
    /// Names of the rules in the reports of `violations` and `historyViolations`.
    package static let rules = [
        "order", "length", "overlap", "ids", "determinism", "date range", "random windows", "window times",
        "missing occasion", "unexpected occasion",
        "local date",
        "exclusion", "state", "ids after an edit", "days after travel", "adherence", "streak",
        "planned through",
        "idempotent", "frozen", "answered", "no past insertion", "stays open", "cancelled", "insertion",
        "identity",
        "planned", "no new overlap", "split",
    ]

    /// All rules that the plan violates, with details. Empty if there are none.
    package func violations() -> [String] {
        let planner = Planner(input)
        let plan = planner.occasions(from: .minimum, through: .maximum)
        var found: [String] = []
        func expect(_ rule: String, _ isMet: Bool, _ what: @autoclosure () -> String = "") {
            if !isMet { found.append("\(rule): \(what()) (seed \(seed), \(zone))") }
        }

        for occasion in plan {
            let window = occasion.window
            expect(
                "order",
                window.visibleAt <= window.openAt && window.openAt <= window.dueAt
                    && window.dueAt <= window.closeAt && window.openAt < window.closeAt, "\(occasion.key)")
            expect("state", hasCorrectState(occasion), "\(occasion.key)")
            expect("exclusion", occasion.exclusion == expectedExclusion(occasion), "\(occasion.key)")
            expect("ids", occasion.id == occasion.key.id(of: input.enrolmentID), "\(occasion.key)")
        }
        expect("ids", Set(plan.map(\.id)).count == plan.count)
        expect("determinism", Planner(input).occasions(from: .minimum, through: .maximum) == plan)
        let pieces = stride(from: -40, through: 60, by: 5).flatMap {
            planner.occasions(
                from: planner.enrolmentDate.adding(days: $0),
                through: planner.enrolmentDate.adding(days: $0 + 4))
        }
        expect("date range", pieces.sorted { $0.id < $1.id } == plan.sorted { $0.id < $1.id })
        expect("ids after an edit", editKeepsIDs(plan))
        expect("planned through", hasCorrectPlannedThrough(planner, plan))
        if input.zones.count == 1 {
            found += stationaryViolations(plan) + splitViolations(plan)
        } else {
            found += travelViolations(plan) + splitTravelViolations()
        }
        found += adherenceViolations(plan)
        return found
    }

    /// Open and due are inclusive, close is exclusive.
    private func hasCorrectState(_ occasion: Occasion) -> Bool {
        let window = occasion.window
        guard occasion.exclusion == nil else {
            return occasion.state(at: window.openAt).rawValue == occasion.exclusion?.rawValue
        }
        let isUpcoming = occasion.state(at: window.openAt.adding(milliseconds: -1)) == .upcoming
        let isOpenAtDue =
            occasion.state(at: window.dueAt) == (window.dueAt < window.closeAt ? .open : .missed)
        let afterDue = window.dueAt.adding(milliseconds: 1)
        let isOverdue = occasion.state(at: afterDue) == (afterDue < window.closeAt ? .overdue : .missed)
        let isOpenAtOpen = occasion.state(at: window.openAt) == .open
        var answered = occasion
        answered.completedAt = window.dueAt
        let isOnTime = answered.state(at: window.openAt) == .completedOnTime
        answered.completedAt = window.dueAt.adding(milliseconds: 1)
        return isUpcoming && isOpenAtDue && isOverdue && isOpenAtOpen && isOnTime
            && answered.state(at: .maximum) == .completedLate
            && occasion.state(at: window.closeAt) == .missed
    }

    private func expectedExclusion(_ occasion: Occasion) -> OccasionExclusion? {
        if occasion.exclusion == .nonexistent { return .nonexistent }
        if let endedAt = input.status.endedAt, occasion.window.closeAt > endedAt { return .withdrawn }
        let isPaused = input.status.pauses.contains { pause in
            pause.from <= occasion.window.openAt && (pause.to.map { occasion.window.dueAt < $0 } ?? true)
        }
        return isPaused ? .paused : nil
    }

    /// After an edit of times, lengths and version, every occasion that is still planned has the same id.
    private func editKeepsIDs(_ plan: [Occasion]) -> Bool {
        var edited = input
        edited.study.version = "2.0.0"
        for index in edited.study.schedules.indices {
            edited.study.schedules[index].slots = edited.study.schedules[index].slots.map { slot in
                var slot = slot
                if case .fixed(let time) = slot.opening,
                    let other = LocalTime(seconds: (time.seconds + 7200) % 86_400)
                {
                    slot.opening = .fixed(other)
                }
                slot.closeAfter += 600
                return slot
            }
        }
        let ids = Dictionary(plan.map { ($0.key, $0.id) }, uniquingKeysWith: { first, _ in first })
        let after = Planner(edited).occasions(from: .minimum, through: .maximum)
        let inner = plan.filter { occasion in
            // At the edges of the study and of phases, an edit may move an occasion out of them.
            let schedule = input.study.schedules.first { $0.id == occasion.key.schedule }
            return schedule?.phase == nil && occasion.key.dayIndex >= 2 && occasion.key.anchorInstance.isEmpty
                && schedule?.anchor == .enrolment && input.zones.count == 1
        }
        return after.allSatisfy { ids[$0.key] == nil || ids[$0.key] == $0.id }
            && Set(after.map(\.id)).isSuperset(of: inner.map(\.id))
    }

    /// A plan is complete exactly up to the date that `plannedThrough` returns.
    private func hasCorrectPlannedThrough(_ planner: Planner, _ plan: [Occasion]) -> Bool {
        let date = planner.enrolmentDate.adding(days: 3)
        let plannedThrough = planner.plannedThrough(date)
        let later = plan.map(\.localDate).filter { $0 > date }
        guard let next = later.min() else { return plannedThrough == .maximum }
        return plannedThrough == next.adding(days: -1)
    }
}

extension PlanCase {
    /// Rules for a participant who does not travel.
    private func stationaryViolations(_ plan: [Occasion]) -> [String] {
        var found: [String] = []
        func expect(_ rule: String, _ isMet: Bool, _ what: @autoclosure () -> String = "") {
            if !isMet { found.append("\(rule): \(what()) (seed \(seed), \(zone))") }
        }
        let planned = Dictionary(plan.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let model = PlanModel(input: input, zone: zone, random: randomOpenings())
        let expected = model.windows()
        for (key, window) in expected {
            guard let occasion = planned[key] else {
                expect("missing occasion", false, "\(key)")
                continue
            }
            let own = occasion.window
            expect(
                "window times",
                own.openAt == window.open && own.dueAt == window.due && own.closeAt == window.close
                    && own.visibleAt == window.visible, "\(key): \(own), expected \(window)")
            expect("local date", occasion.localDate == window.date, "\(key)")
            expect("local date", (occasion.exclusion == .nonexistent) == !window.dayExists, "\(key)")
            if !occasion.isDSTAdjusted, let schedule = schedule(of: key), let slot = slot(of: key, schedule) {
                expect(
                    "length",
                    own.closeAt.milliseconds(since: own.openAt) == Int64(slot.closeAfter) * 1000, "\(key)")
            }
        }
        for key in planned.keys where expected[key] == nil { expect("unexpected occasion", false, "\(key)") }

        for schedule in input.study.schedules {
            for (_, ofInstance) in Dictionary(
                grouping: plan.filter { $0.key.schedule == schedule.id && $0.exclusion != .nonexistent },
                by: \.key.anchorInstance)
            where schedule.slots.allSatisfy({ if case .afterAnchor = $0.opening { false } else { true } }) {
                for (left, right) in zip(ofInstance, ofInstance.dropFirst()) {
                    expect("overlap", left.window.closeAt <= right.window.openAt, "\(left.key) \(right.key)")
                }
            }
        }
        return found
    }

    private func schedule(of key: OccasionKey) -> Schedule? {
        input.study.schedules.first { $0.id == key.schedule }
    }

    private func slot(of key: OccasionKey, _ schedule: Schedule) -> Slot? {
        if schedule.slots.count == 1 { return schedule.slots.first }
        return schedule.slots.indices.contains(key.slotIndex) ? schedule.slots[key.slotIndex] : nil
    }

    /// Local opening times of the random windows, taken from a plan in a zone without transitions. `randomViolations`
    /// checks them.
    private func randomOpenings() -> [OccasionKey: Int] {
        var openings: [OccasionKey: Int] = [:]
        for occasion in plainPlan() {
            guard let schedule = schedule(of: occasion.key), case .random = schedule.slots.first?.opening
            else {
                continue
            }
            let midnight = Int64(occasion.localDate.days) * 86_400
            openings[occasion.key] = Int(occasion.window.openAt.seconds - midnight)
        }
        return openings
    }

    /// The plan of the same participant in a zone without transitions and in a study without end or phases.
    private func plainPlan() -> [Occasion] {
        var plain = input
        let model = PlanModel(input: input, zone: zone, random: [:])
        plain.study.days = 60
        plain.status = .active
        for index in plain.study.schedules.indices {
            let starts = model.starts(of: plain.study.schedules[index])
            plain.study.schedules[index].phase = nil
            plain.study.schedules[index].zonePolicy = .study(.utc)
            if let start = starts.first, starts.count == 1, start.instance.isEmpty {
                plain.study.schedules[index].anchor = .studyDate(start.date)
            }
        }
        plain.zones = [ZoneChange(from: .minimum, zone: zone)]
        plain.enrolledAt = input.enrolledAt.adding(seconds: -90 * 86_400)
        plain.study.days = 200
        return Planner(plain).occasions(from: .minimum, through: .maximum)
    }

    /// Random windows are sorted, have the minimum gap, and are between their two times.
    package func randomViolations() -> [String] {
        var found: [String] = []
        for schedule in input.study.schedules {
            guard case .random(let from, let to, let count, let gap)? = schedule.slots.first?.opening else {
                continue
            }
            let openings = randomOpenings().filter { $0.key.schedule == schedule.id }
            let span = to > from ? to.seconds - from.seconds : to.seconds - from.seconds + 86_400
            let days = Dictionary(grouping: openings) { [$0.key.anchorInstance, String($0.key.dayIndex)] }
            for (day, ofDay) in days {
                let moments = ofDay.sorted { $0.key.slotIndex < $1.key.slotIndex }.map(\.value)
                let hasMinimumGap = zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= gap }
                let isWithin = moments.allSatisfy { (from.seconds...from.seconds + span).contains($0) }
                if !hasMinimumGap || !isWithin || moments.count != count {
                    found.append("random windows: \(day) \(moments) (seed \(seed))")
                }
            }
        }
        return input.zones.count == 1 ? found + resolvedRandomViolations() : found
    }

    /// The same for the resolved instants, in the night of a zone transition too. If a transition leaves too little
    /// time for the gaps, the last windows may open after the second time.
    private func resolvedRandomViolations() -> [String] {
        var found: [String] = []
        let plan = Planner(input).occasions(from: .minimum, through: .maximum)
        for schedule in input.study.schedules {
            guard case .random(let from, let to, let count, let gap)? = schedule.slots.first?.opening else {
                continue
            }
            let planned = plan.filter { $0.key.schedule == schedule.id && $0.exclusion != .nonexistent }
            for (date, ofDay) in Dictionary(
                grouping: planned, by: { [$0.key.anchorInstance, "\($0.localDate)"] })
            {
                let sorted = ofDay.sorted { $0.key.slotIndex < $1.key.slotIndex }
                let hasGaps = zip(sorted, sorted.dropFirst()).allSatisfy {
                    $1.window.openAt >= $0.window.openAt.adding(seconds: gap)
                }
                guard let first = sorted.first else { continue }
                let model = WallClockModel(zone: first.zone)
                let end = to.seconds + (to > from ? 0 : 86_400)
                guard let start = model.first(first.localDate, from.seconds),
                    let latest = model.last(first.localDate, end)
                else { continue }
                let isFeasible = start.adding(seconds: (count - 1) * gap) <= latest
                let isWithin = sorted.allSatisfy { $0.window.openAt <= latest || !isFeasible }
                if !hasGaps || !isWithin {
                    found.append(
                        "resolved random windows: \(date) \(sorted.map(\.window.openAt)) (seed \(seed))")
                }
            }
        }
        return found
    }
}

extension PlanCase {
    /// Travel moves windows, but it does not remove any: the same days are planned as without travel.
    private func travelViolations(_ plan: [Occasion]) -> [String] {
        var stationary = input
        stationary.zones = [input.zones[0]]
        let days = input.study.days
        func inner(_ occasions: [Occasion]) -> Set<OccasionKey> {
            Set(
                occasions.filter { occasion in
                    let schedule = schedule(of: occasion.key)
                    return schedule?.anchor == .enrolment && schedule?.phase == nil
                        && occasion.key.dayIndex >= 2
                        && occasion.key.dayIndex < days - 1
                        && schedule?.slots.allSatisfy(\.opensByClock) ?? false
                }.map(\.key))
        }
        var found: [String] = []
        let lost = inner(Planner(stationary).occasions(from: .minimum, through: .maximum)).subtracting(
            inner(plan))
        if !lost.isEmpty { found.append("days after travel: \(lost) (seed \(seed), \(zone))") }
        let zoneChanges = input.zones.dropFirst().map(\.from).sorted()
        for occasion in plan where occasion.exclusion == nil {
            // The occasion was open before the last zone change, or it is in the new zone, or it keeps the former zone
            // because it would otherwise be closed.
            let since = zoneChanges.last { $0 < occasion.window.openAt } ?? .minimum
            if occasion.window.closeAt <= since { found.append("stays open: \(occasion.key) (seed \(seed))") }
        }
        return found
    }
}

extension Slot {
    fileprivate var opensByClock: Bool {
        if case .afterAnchor = opening { return false }
        return true
    }
}
