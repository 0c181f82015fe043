import Foundation
import SaunterCore

extension PlanCase {
    /// Names of the rules that a case judges, as `violations` and `historyViolations` report them.
    package static let rules = [
        "order", "plain length", "overlap", "ids", "seed", "span", "random", "wall", "lost day", "surplus",
        "date",
        "set aside", "state", "edit keeps ids", "travel loses days", "adherence", "streak", "reach",
        "idempotent", "frozen", "answered", "never past", "carry-over", "cancelled", "wanted", "identity",
        "planned", "apart", "split",
    ]

    /// Every rule that the plan breaks, with what broke it; empty when all hold.
    package func violations() -> [String] {
        let planner = Planner(input)
        let plan = planner.occasions(from: .minimum, through: .maximum)
        var found: [String] = []
        func expect(_ rule: String, _ holds: Bool, _ what: @autoclosure () -> String = "") {
            if !holds { found.append("\(rule): \(what()) (seed \(seed), \(zone))") }
        }

        for occasion in plan {
            let window = occasion.window
            expect(
                "order",
                window.visibleAt <= window.openAt && window.openAt <= window.dueAt
                    && window.dueAt <= window.closeAt && window.openAt < window.closeAt, "\(occasion.key)")
            expect("state", stateHolds(occasion), "\(occasion.key)")
            expect("set aside", occasion.setAside == expectedSetAside(occasion), "\(occasion.key)")
            expect("ids", occasion.id == occasion.key.id(of: input.enrolmentID), "\(occasion.key)")
        }
        expect("ids", Set(plan.map(\.id)).count == plan.count)
        expect("seed", Planner(input).occasions(from: .minimum, through: .maximum) == plan)
        let pieces = stride(from: -40, through: 60, by: 5).flatMap {
            planner.occasions(
                from: planner.enrolmentDate.adding(days: $0),
                through: planner.enrolmentDate.adding(days: $0 + 4))
        }
        expect("span", pieces.sorted { $0.id < $1.id } == plan.sorted { $0.id < $1.id })
        expect("edit keeps ids", editKeepsIDs(plan))
        expect("reach", reachHolds(planner, plan))
        if input.zones.count == 1 {
            found += settledViolations(plan) + splitViolations(plan)
        } else {
            found += travelViolations(plan) + splitJourneyViolations()
        }
        found += adherenceViolations(plan)
        return found
    }

    /// Open and due are inclusive, close is exclusive.
    private func stateHolds(_ occasion: Occasion) -> Bool {
        let window = occasion.window
        guard occasion.setAside == nil else {
            return occasion.state(at: window.openAt).rawValue == occasion.setAside?.rawValue
        }
        let before = occasion.state(at: window.openAt.adding(milliseconds: -1)) == .upcoming
        let atDue = occasion.state(at: window.dueAt) == (window.dueAt < window.closeAt ? .open : .missed)
        let afterDue = window.dueAt.adding(milliseconds: 1)
        let late = occasion.state(at: afterDue) == (afterDue < window.closeAt ? .overdue : .missed)
        let atOpen = occasion.state(at: window.openAt) == .open
        var answered = occasion
        answered.completedAt = window.dueAt
        let onTime = answered.state(at: window.openAt) == .completedOnTime
        answered.completedAt = window.dueAt.adding(milliseconds: 1)
        return before && atDue && late && atOpen && onTime && answered.state(at: .maximum) == .completedLate
            && occasion.state(at: window.closeAt) == .missed
    }

    private func expectedSetAside(_ occasion: Occasion) -> OccasionSetAside? {
        if occasion.setAside == .nonexistent { return .nonexistent }
        if let left = input.status.endedAt, occasion.window.closeAt > left { return .withdrawn }
        let isHeld = input.status.pauses.contains { pause in
            pause.from <= occasion.window.openAt && (pause.to.map { occasion.window.dueAt < $0 } ?? true)
        }
        return isHeld ? .paused : nil
    }

    /// Other clock times, lengths and another version: whatever is still planned has its id.
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
            // At the edges of the study and of phases another time may be out of it.
            let schedule = input.study.schedules.first { $0.id == occasion.key.schedule }
            return schedule?.phase == nil && occasion.key.dayIndex >= 2 && occasion.key.anchorInstance.isEmpty
                && schedule?.anchor == .enrolment && input.zones.count == 1
        }
        return after.allSatisfy { ids[$0.key] == nil || ids[$0.key] == $0.id }
            && Set(after.map(\.id)).isSuperset(of: inner.map(\.id))
    }

    /// A plan is whole up to where it says, and no further.
    private func reachHolds(_ planner: Planner, _ plan: [Occasion]) -> Bool {
        let date = planner.enrolmentDate.adding(days: 3)
        let reach = planner.plannedThrough(date)
        let later = plan.map(\.localDate).filter { $0 > date }
        guard let next = later.min() else { return reach == .maximum }
        return reach == next.adding(days: -1)
    }
}

extension PlanCase {
    /// Of somebody who stays in one place.
    private func settledViolations(_ plan: [Occasion]) -> [String] {
        var found: [String] = []
        func expect(_ rule: String, _ holds: Bool, _ what: @autoclosure () -> String = "") {
            if !holds { found.append("\(rule): \(what()) (seed \(seed), \(zone))") }
        }
        let planned = Dictionary(plan.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let model = PlanModel(input: input, zone: zone, random: randomOpenings())
        let expected = model.windows()
        for (key, window) in expected {
            guard let occasion = planned[key] else {
                expect("lost day", false, "\(key)")
                continue
            }
            let own = occasion.window
            expect(
                "wall",
                own.openAt == window.open && own.dueAt == window.due && own.closeAt == window.close
                    && own.visibleAt == window.visible, "\(key): \(own), expected \(window)")
            expect("date", occasion.localDate == window.date, "\(key)")
            expect("date", (occasion.setAside == .nonexistent) == !window.dayExists, "\(key)")
            if !occasion.dstAdjusted, let schedule = schedule(of: key), let slot = slot(of: key, schedule) {
                expect(
                    "plain length",
                    own.closeAt.milliseconds(since: own.openAt) == Int64(slot.closeAfter) * 1000, "\(key)")
            }
        }
        for key in planned.keys where expected[key] == nil { expect("surplus", false, "\(key)") }

        for schedule in input.study.schedules {
            for (_, ofInstance) in Dictionary(
                grouping: plan.filter { $0.key.schedule == schedule.id && $0.setAside != .nonexistent },
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

    /// Where the random windows of this seed open on the wall, taken from a plan in a zone without changes; the
    /// rule "random" judges it in `randomViolations`.
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

    /// The same participant where the clock never changes, in a study without end or phases.
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

    /// Of random windows: sorted, apart, and between their two times.
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
                let isApart = zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= gap }
                let isWithin = moments.allSatisfy { (from.seconds...from.seconds + span).contains($0) }
                if !isApart || !isWithin || moments.count != count {
                    found.append("random: \(day) \(moments) (seed \(seed))")
                }
            }
        }
        return found
    }
}

extension PlanCase {
    /// A journey moves windows and loses none: the same days are asked as at home.
    private func travelViolations(_ plan: [Occasion]) -> [String] {
        var home = input
        home.zones = [input.zones[0]]
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
        let lost = inner(Planner(home).occasions(from: .minimum, through: .maximum)).subtracting(inner(plan))
        if !lost.isEmpty { found.append("travel loses days: \(lost) (seed \(seed), \(zone))") }
        let changes = input.zones.dropFirst().map(\.from).sorted()
        for occasion in plan where occasion.setAside == nil {
            // It was open before the last journey or it follows the zone of that journey, or keeps an older one
            // because it would be over there.
            let since = changes.last { $0 < occasion.window.openAt } ?? .minimum
            if occasion.window.closeAt <= since { found.append("carry-over: \(occasion.key) (seed \(seed))") }
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
