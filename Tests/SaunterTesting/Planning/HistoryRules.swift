import SaunterCore

extension PlanCase {
    /// Applies a random sequence of zone changes, edits, pauses, events, walks and sheets to a participant. After each
    /// step it reconciles the stored occasions with the plan, and checks every rule of reconciliation.
    package func historyViolations(steps: Int = 6) -> [String] {
        var history = History(self)
        for _ in 0..<steps { history.step() }
        return history.found
    }

    private struct History {
        var input: PlanInput
        var stored: [OccasionID: Occasion] = [:]
        var now: Instant
        var generator: SeededGenerator
        var found: [String] = []
        /// Walks that were uploaded after the last reconciliation.
        var arrived: Set<String> = []
        let seed: UInt64

        init(_ planCase: PlanCase) {
            input = planCase.input
            input.zones = [planCase.input.zones[0]]
            input.anchors = []
            input.status = .active
            now = planCase.input.enrolledAt
            generator = planCase.generator
            seed = planCase.seed
        }

        mutating func expect(_ rule: String, _ isMet: Bool, _ what: @autoclosure () -> String = "") {
            if !isMet { found.append("\(rule): \(what()) (history of seed \(seed))") }
        }

        mutating func step() {
            arrived = []
            applyRandomChange()
            let planner = Planner(input)
            let dates = planner.horizon(from: now, stored: Array(stored.values))
            let missed = planner.occasions(following: arrived, before: dates.lowerBound)
            let planned =
                missed.filter { stored[$0.id] == nil }
                + planner.occasions(from: dates.lowerBound, through: dates.upperBound)
            let repeated = Set(input.study.schedules.filter(\.anchor.isRepeated).map(\.id))
            let instances = Set(input.anchors.map(\.instance))
            func compare(_ stored: [OccasionID: Occasion]) -> Reconciliation {
                reconcile(
                    stored: stored.values.sorted { $0.id < $1.id }, planned: planned, now: now,
                    dates: dates, arrived: arrived
                ) { repeated.contains($0.key.schedule) && !instances.contains($0.key.anchorInstance) }
            }
            let result = compare(stored)
            let before = stored
            stored = Dictionary(
                result.applied(to: Array(stored.values)).map { ($0.id, $0) },
                uniquingKeysWith: { first, _ in first })

            expect("idempotent", compare(stored).isEmpty)
            check(
                result, planned: planned, before: before,
                orphaned: { occasion in
                    repeated.contains(occasion.key.schedule)
                        && !instances.contains(occasion.key.anchorInstance)
                })
            now = now.adding(seconds: generator.number(1...40) * 3600)
        }

        /// Whether the occasion must be stored: it is not closed yet, or it follows a walk that was just uploaded.
        private func isExpected(_ plan: Occasion) -> Bool {
            plan.window.closeAt > now || arrived.contains(plan.key.anchorInstance)
        }

        /// Whether the occasion is not excluded, or is excluded only by a pause.
        private func isActive(_ occasion: Occasion) -> Bool {
            occasion.exclusion == nil || occasion.exclusion == .paused
        }

        /// Whether two occasions of one questionnaire overlap in the same zone and follow the same walk, if any.
        private func overlap(_ one: Occasion, _ other: Occasion) -> Bool {
            one.id != other.id && one.questionnaire == other.questionnaire && one.zone == other.zone
                && one.key.anchorInstance == other.key.anchorInstance
                && one.window.openAt < other.window.closeAt && other.window.openAt < one.window.closeAt
        }

        private mutating func check(
            _ result: Reconciliation, planned: [Occasion], before: [OccasionID: Occasion],
            orphaned: (Occasion) -> Bool
        ) {
            let plans = Dictionary(planned.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            func overlapInPlan(_ one: OccasionID, _ other: OccasionID) -> Bool {
                guard let one = plans[one]?.window, let other = plans[other]?.window else { return false }
                return one.openAt < other.closeAt && other.openAt < one.closeAt
            }
            /// Whether an occasion that cannot move, and that is planned elsewhere, occupies this time.
            func isOccupied(_ plan: Occasion) -> Bool {
                isActive(plan)
                    && before.values.contains {
                        isActive($0) && ($0.isAnswered || $0.window.openAt <= now) && overlap($0, plan)
                            && !overlapInPlan($0.id, plan.id)
                    }
            }
            func isReassigned(_ old: Occasion) -> Bool {
                planned.contains { isActive($0) && overlap($0, old) && !overlapInPlan($0.id, old.id) }
            }
            expect(
                "no past insertion",
                result.insert.allSatisfy { isExpected($0) && $0.exclusion != .withdrawn })
            for (id, old) in before {
                guard let new = stored[id] else {
                    expect("identity", false, "\(old.key) was deleted")
                    continue
                }
                expect("identity", new.key == old.key && new.id == old.id, "\(old.key)")
                if old.isAnswered { expect("answered", new == old, "\(old.key)") }
                let isReplanned = old.exclusion == .cancelled && new.window.openAt > now && plans[id] == new
                if old.window.openAt <= now, !isReplanned {
                    expect("frozen", new.window == old.window && new.zone == old.zone, "\(old.key)")
                }
                if orphaned(old), !old.isAnswered {
                    expect("cancelled", new.exclusion == .cancelled, "\(old.key) is not cancelled")
                }
                if old.exclusion == .cancelled, old.window.openAt <= now, !isReplanned {
                    expect("cancelled", new == old, "\(old.key) is planned again although it had opened")
                }
                if old.window.closeAt > now {
                    expect("stays open", new.window.closeAt > now, "\(old.key)")
                }
                if new.exclusion == .cancelled, old.exclusion != .cancelled {
                    expect(
                        "cancelled", !old.isAnswered && (old.window.openAt > now || orphaned(old)),
                        "\(old.key)")
                    // There are two exceptions: the corrected anchor moved the occasion to another day, and another
                    // occasion has its time.
                    let isStillPlanned = planned.contains {
                        guard $0.id == id else { return false }
                        if $0.window.closeAt > now { return !isOccupied($0) }
                        return !isReassigned(old) && ($0.zone != old.zone || $0.localDate == old.localDate)
                    }
                    expect("cancelled", !isStillPlanned, "\(old.key) is still planned")
                }
            }
            let ids = Set(planned.map(\.id))
            for plan in planned where isExpected(plan) && plan.exclusion != .withdrawn {
                expect("insertion", stored[plan.id] != nil || isOccupied(plan), "\(plan.key)")
            }
            for plan in planned {
                guard let new = stored[plan.id] else { continue }
                if plan.window.openAt > now, !isOccupied(plan), !new.isAnswered,
                    before[plan.id].map({ $0.window.openAt > now || $0.exclusion == .cancelled }) ?? true,
                    plan.exclusion != .nonexistent
                {
                    expect(
                        "planned", new.exclusion == plan.exclusion && new.window == plan.window, "\(plan.key)"
                    )
                }
                guard isActive(new) else { continue }
                for other in stored.values where isActive(other) && overlap(new, other) {
                    let didOverlap = before[new.id].map { one in
                        before[other.id].map { overlap(one, $0) } ?? false
                    }
                    expect(
                        "no new overlap", didOverlap ?? false || overlapInPlan(new.id, other.id),
                        "\(new.key) and \(other.key)")
                }
            }
            for old in before.values
            where !ids.contains(old.id) && old.window.openAt > now && !old.isAnswered
                && planned.contains(where: { $0.localDate >= old.localDate })
            {
                expect(
                    "cancelled", stored[old.id]?.exclusion == .cancelled, "\(old.key) is no longer planned")
            }
        }

        private mutating func applyRandomChange() {
            switch generator.number(0...9) {
            case 0, 1: input.zones.append(ZoneChange(from: now, zone: generator.zone()))
            case 2: publishNewVersion()
            case 3:
                if let last = input.status.pauses.indices.last, input.status.pauses[last].to == nil {
                    input.status.pauses[last].to = now
                } else {
                    input.status.pauses.append(Pause(from: now))
                }
            case 4:
                input.anchors.removeAll { $0.anchor == .event("home") }
                input.anchors.append(
                    .event("home", at: now.adding(seconds: generator.number(-12...72) * 3600)))
            case 5:
                let walk = WalkID(
                    EnrolmentID("0193a1f0-7c1e-7d3a-9b52-\(digits(generator.next()))")?.uuid
                        ?? input.enrolmentID.uuid)
                // Some devices were offline for days.
                let late = generator.chance(oneIn: 2) ? generator.number(1...600) * 3600 : 0
                let walked = AnchorEvent.walk(
                    walk, endedAt: max(input.enrolledAt, now.adding(seconds: -late)))
                input.anchors.append(walked)
                arrived = [walked.instance]
            case 6: input.anchors.removeAll { $0.anchor == .walk }
            default:
                let open = stored.values.filter { $0.state(at: now).isAnswerable }.min { $0.id < $1.id }
                if let open { stored[open.id]?.completedAt = now }
            }
        }

        /// Twelve digits for a UUID.
        private func digits(_ word: UInt64) -> String {
            let text = String(word % 1_000_000_000_000)
            return String(repeating: "0", count: 12 - text.count) + text
        }

        /// A new version with other times and lengths, and sometimes another number of slots.
        private mutating func publishNewVersion() {
            let index = generator.number(0...input.study.schedules.count - 1)
            guard let time = LocalTime(seconds: generator.number(0...95) * 900) else { return }
            let first = Slot(opening: .fixed(time), dueAfter: 3600, closeAfter: 7200)
            input.study.schedules[index].slots = generator.chance(oneIn: 3) ? [first] : [first, first]
            input.study.version = "\(generator.number(2...9)).0.0"
        }
    }
}
