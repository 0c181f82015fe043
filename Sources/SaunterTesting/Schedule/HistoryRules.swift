import SaunterCore

extension PlanCase {
    /// The stored occasions of a participant through a course of journeys, edits, breaks, events and sheets; after
    /// each the plan is reconciled, and every rule of doing so is judged.
    package func historyViolations(steps: Int = 6) -> [String] {
        var course = Course(self)
        for _ in 0..<steps { course.step() }
        return course.found
    }

    private struct Course {
        var input: PlanInput
        var stored: [OccasionID: Occasion] = [:]
        var clock: Instant
        var source: CaseSource
        var found: [String] = []
        /// Walks that have come since the plan was reconciled last.
        var arrived: Set<String> = []
        let seed: UInt64

        init(_ made: PlanCase) {
            input = made.input
            input.zones = [made.input.zones[0]]
            input.anchors = []
            input.status = .active
            clock = made.input.enrolledAt
            source = made.source
            seed = made.seed
        }

        mutating func expect(_ rule: String, _ holds: Bool, _ what: @autoclosure () -> String = "") {
            if !holds { found.append("\(rule): \(what()) (history of seed \(seed))") }
        }

        mutating func step() {
            arrived = []
            act()
            let planner = Planner(input)
            let dates = planner.horizon(from: clock, stored: Array(stored.values))
            let missed = planner.occasions(following: arrived, before: dates.lowerBound)
            let planned =
                missed.filter { stored[$0.id] == nil }
                + planner.occasions(from: dates.lowerBound, through: dates.upperBound)
            let repeated = Set(input.study.schedules.filter(\.anchor.isRepeated).map(\.id))
            let instances = Set(input.anchors.map(\.instance))
            func compare(_ stored: [OccasionID: Occasion]) -> Reconciliation {
                reconcile(
                    stored: stored.values.sorted { $0.id < $1.id }, planned: planned, now: clock,
                    dates: dates, arrived: arrived
                ) { repeated.contains($0.key.schedule) && !instances.contains($0.key.anchorInstance) }
            }
            let result = compare(stored)
            let before = stored
            stored = Dictionary(
                result.applied(to: Array(stored.values)).map { ($0.id, $0) },
                uniquingKeysWith: { first, _ in first })

            expect("idempotent", compare(stored).isEmpty)
            judge(
                result, planned: planned, before: before,
                orphaned: { occasion in
                    repeated.contains(occasion.key.schedule)
                        && !instances.contains(occasion.key.anchorInstance)
                })
            clock = clock.adding(seconds: source.number(1...40) * 3600)
        }

        /// It is not over, or what it follows was not known before.
        private func isWanted(_ plan: Occasion) -> Bool {
            plan.window.closeAt > clock || arrived.contains(plan.key.anchorInstance)
        }

        private func isAsked(_ occasion: Occasion) -> Bool {
            occasion.setAside == nil || occasion.setAside == .paused
        }

        /// Two of one questionnaire at one time, by one clock, of the same walk if any.
        private func meet(_ one: Occasion, _ other: Occasion) -> Bool {
            one.id != other.id && one.questionnaire == other.questionnaire && one.zone == other.zone
                && one.key.anchorInstance == other.key.anchorInstance
                && one.window.openAt < other.window.closeAt && other.window.openAt < one.window.closeAt
        }

        private mutating func judge(
            _ result: Reconciliation, planned: [Occasion], before: [OccasionID: Occasion],
            orphaned: (Occasion) -> Bool
        ) {
            let plans = Dictionary(planned.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            func areTogether(_ one: OccasionID, _ other: OccasionID) -> Bool {
                guard let one = plans[one]?.window, let other = plans[other]?.window else { return false }
                return one.openAt < other.closeAt && other.openAt < one.closeAt
            }
            /// Something that stays where it is, and is planned elsewhere, is asked at this time.
            func isTaken(_ plan: Occasion) -> Bool {
                isAsked(plan)
                    && before.values.contains {
                        isAsked($0) && ($0.isAnswered || $0.window.openAt <= clock) && meet($0, plan)
                            && !areTogether($0.id, plan.id)
                    }
            }
            func isPassedOn(_ old: Occasion) -> Bool {
                planned.contains { isAsked($0) && meet($0, old) && !areTogether($0.id, old.id) }
            }
            expect(
                "never past",
                result.insert.allSatisfy { isWanted($0) && $0.setAside != .withdrawn })
            for (id, old) in before {
                guard let new = stored[id] else {
                    expect("identity", false, "\(old.key) was deleted")
                    continue
                }
                expect("identity", new.key == old.key && new.id == old.id, "\(old.key)")
                if old.isAnswered { expect("answered", new == old, "\(old.key)") }
                let isBackAhead = old.setAside == .cancelled && new.window.openAt > clock && plans[id] == new
                if old.window.openAt <= clock, !isBackAhead {
                    expect("frozen", new.window == old.window && new.zone == old.zone, "\(old.key)")
                }
                if orphaned(old), !old.isAnswered {
                    expect("cancelled", new.setAside == .cancelled, "\(old.key) stays")
                }
                if old.setAside == .cancelled, old.window.openAt <= clock, !isBackAhead {
                    expect("cancelled", new == old, "\(old.key) is back though it had opened")
                }
                if old.window.closeAt > clock {
                    expect("carry-over", new.window.closeAt > clock, "\(old.key)")
                }
                if new.setAside == .cancelled, old.setAside != .cancelled {
                    expect(
                        "cancelled", !old.isAnswered && (old.window.openAt > clock || orphaned(old)),
                        "\(old.key)")
                    // Unless it is over on the day to which what it counts from was corrected, or the time is another's.
                    let isStillPlanned = planned.contains {
                        guard $0.id == id else { return false }
                        if $0.window.closeAt > clock { return !isTaken($0) }
                        return !isPassedOn(old) && ($0.zone != old.zone || $0.localDate == old.localDate)
                    }
                    expect("cancelled", !isStillPlanned, "\(old.key) is planned")
                }
            }
            let ids = Set(planned.map(\.id))
            for plan in planned where isWanted(plan) && plan.setAside != .withdrawn {
                expect("wanted", stored[plan.id] != nil || isTaken(plan), "\(plan.key)")
            }
            for plan in planned {
                guard let new = stored[plan.id] else { continue }
                if plan.window.openAt > clock, !isTaken(plan), !new.isAnswered,
                    before[plan.id].map({ $0.window.openAt > clock || $0.setAside == .cancelled }) ?? true,
                    plan.setAside != .nonexistent
                {
                    expect(
                        "planned", new.setAside == plan.setAside && new.window == plan.window, "\(plan.key)")
                }
                guard isAsked(new) else { continue }
                for other in stored.values where isAsked(other) && meet(new, other) {
                    let wereTogether = before[new.id].map { one in
                        before[other.id].map { meet(one, $0) } ?? false
                    }
                    expect(
                        "apart", wereTogether ?? false || areTogether(new.id, other.id),
                        "\(new.key) and \(other.key)")
                }
            }
            for old in before.values
            where !ids.contains(old.id) && old.window.openAt > clock && !old.isAnswered
                && planned.contains(where: { $0.localDate >= old.localDate })
            {
                expect("cancelled", stored[old.id]?.setAside == .cancelled, "\(old.key) is no longer planned")
            }
        }

        private mutating func act() {
            switch source.number(0...9) {
            case 0, 1: input.zones.append(ZoneChange(from: clock, zone: source.zone()))
            case 2: shift()
            case 3:
                if let last = input.status.pauses.indices.last, input.status.pauses[last].to == nil {
                    input.status.pauses[last].to = clock
                } else {
                    input.status.pauses.append(Pause(from: clock))
                }
            case 4:
                input.anchors.removeAll { $0.anchor == .event("home") }
                input.anchors.append(
                    .event("home", at: clock.adding(seconds: source.number(-12...72) * 3600)))
            case 5:
                let walk = WalkID(
                    EnrolmentID("0193a1f0-7c1e-7d3a-9b52-\(digits(source.next()))")?.uuid
                        ?? input.enrolmentID.uuid)
                // Some devices were offline for days.
                let late = source.once(in: 2) ? source.number(1...600) * 3600 : 0
                let walked = AnchorEvent.walk(
                    walk, endedAt: max(input.enrolledAt, clock.adding(seconds: -late)))
                input.anchors.append(walked)
                arrived = [walked.instance]
            case 6: input.anchors.removeAll { $0.anchor == .walk }
            default:
                let open = stored.values.filter { $0.state(at: clock).isAnswerable }.min { $0.id < $1.id }
                if let open { stored[open.id]?.completedAt = clock }
            }
        }

        /// Twelve digits of a UUID.
        private func digits(_ word: UInt64) -> String {
            let text = String(word % 1_000_000_000_000)
            return String(repeating: "0", count: 12 - text.count) + text
        }

        /// A new version: other times, other lengths, perhaps another number of slots.
        private mutating func shift() {
            let index = source.number(0...input.study.schedules.count - 1)
            guard let time = LocalTime(seconds: source.number(0...95) * 900) else { return }
            let first = Slot(opening: .fixed(time), dueAfter: 3600, closeAfter: 7200)
            input.study.schedules[index].slots = source.once(in: 3) ? [first] : [first, first]
            input.study.version = "\(source.number(2...9)).0.0"
        }
    }
}
