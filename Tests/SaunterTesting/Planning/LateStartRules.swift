import SaunterCore

extension PlanCase {
    /// A journey moves nothing that starts after it. The windows that follow a later walk, sheet, event or phase are
    /// those of a participant who was in the new zone from the enrolment.
    package func lateStartViolations() -> [String] {
        var generator = self.generator
        let journey = input.enrolledAt.adding(seconds: generator.number(1...4 * 86_400))
        let destination = generator.zone()
        var traveller = input
        traveller.zones = [
            ZoneChange(from: input.enrolledAt, zone: zone), ZoneChange(from: journey, zone: destination),
        ]
        for index in traveller.anchors.indices {
            traveller.anchors[index].at = journey.adding(seconds: generator.number(0...36 * 3600))
        }
        for index in traveller.study.schedules.indices {
            traveller.study.schedules[index].zonePolicy = .participant
        }
        var resident = traveller
        resident.zones = [ZoneChange(from: input.enrolledAt, zone: destination)]

        let planners = (Planner(traveller), Planner(resident))
        let isSameDate = planners.0.enrolmentDate == planners.1.enrolmentDate
        let late = Set(
            traveller.study.schedules.filter { $0.startsLate(isSameEnrolmentDate: isSameDate) }.map(\.id))
        let end = min(planners.0.endDate, planners.1.endDate)
        func plan(_ planner: Planner) -> [Occasion] {
            planner.occasions(from: .minimum, through: end).filter { late.contains($0.key.schedule) }
        }
        let (found, expected) = (plan(planners.0), plan(planners.1))
        guard found != expected else { return [] }
        let lost = Set(expected.map(\.key)).subtracting(found.map(\.key))
        return ["late start: \(lost.count) lost, or moved (seed \(seed), \(zone) to \(destination))"]
    }
}

extension Schedule {
    /// Whether all its windows follow a walk, a sheet or an event.
    fileprivate func startsLate(isSameEnrolmentDate: Bool) -> Bool {
        switch phase {
        case nil: break
        // Days of this phase count from the event, but those of the schedule may count from the enrolment.
        case "home": if isSameEnrolmentDate { return true }
        // These phases start at the enrolment.
        default: return false
        }
        switch anchor {
        case .walk, .completion, .completionOfAny, .completionOfPractice, .firstCompletion, .event,
            .phase("home"):
            return true
        default: return false
        }
    }
}
