import Foundation
import SaunterCore

extension PlanCase {
    /// Computes adherence and streak again with simple code, and compares.
    func adherenceViolations(_ plan: [Occasion]) -> [String] {
        var generator = self.generator
        var occasions = plan
        for index in occasions.indices where generator.chance(oneIn: 2) && occasions[index].exclusion == nil {
            let window = occasions[index].window
            let length = Int(window.closeAt.milliseconds(since: window.openAt) / 1000)
            occasions[index].completedAt = window.openAt.adding(
                seconds: generator.number(0...max(0, length - 1)))
        }
        let now = input.enrolledAt.adding(seconds: generator.number(0...10 * 86_400))
        var settled = 0, completed = 0, onTime = 0, offered = 0
        for occasion in occasions {
            if let moment = occasion.completedAt {
                settled += 1
                completed += 1
                offered += 1
                if moment <= occasion.window.dueAt { onTime += 1 }
            } else if occasion.exclusion == nil {
                if occasion.window.closeAt <= now { settled += 1 }
                if occasion.window.openAt <= now { offered += 1 }
            }
        }
        let adherence = Adherence(occasions: occasions, at: now)
        var found: [String] = []
        let live = offered == 0 ? 100 : Int((100 * Double(completed) / Double(offered)).rounded(.down))
        if adherence.settled != settled || adherence.completed != completed || adherence.onTime != onTime
            || adherence.offered != offered || adherence.live != live
            || adherence.adherence != Self.percent(completed, settled)
            || adherence.onTimePercent != Self.percent(onTime, settled)
        {
            found.append("adherence: \(adherence) (seed \(seed))")
        }
        let today = zone.local(of: now).date
        let streak = Streak(occasions: occasions, at: now, today: today)
        let expected = Self.streak(occasions, now, today)
        if (streak.current, streak.best) != expected {
            found.append("streak: \(streak), expected \(expected) (seed \(seed))")
        }
        return found
    }

    /// Rounded to one decimal, ties to even, with decimal arithmetic.
    private static func percent(_ part: Int, _ whole: Int) -> Double? {
        guard whole > 0 else { return nil }
        var exact = Decimal(part) * 100 / Decimal(whole)
        var rounded = Decimal()
        NSDecimalRound(&rounded, &exact, 1, .bankers)
        return NSDecimalNumber(decimal: rounded).doubleValue
    }

    /// Visits the dates one by one. A date with all occasions answered extends the run. A date without occasions is
    /// skipped. Today never ends the run, and neither does a date on which nothing was missed.
    private static func streak(_ occasions: [Occasion], _ now: Instant, _ today: LocalDate) -> (Int, Int) {
        let dates = occasions.map(\.localDate).filter { $0 <= today }
        guard let first = dates.min() else { return (0, 0) }
        var run = 0
        var best = 0
        for day in first.days...today.days {
            let planned = occasions.filter {
                $0.localDate.days == day && ($0.exclusion == nil || $0.completedAt != nil)
            }
            if planned.isEmpty { continue }
            if planned.allSatisfy({ $0.completedAt != nil }) {
                run += 1
                best = max(best, run)
            } else if day != today.days,
                planned.contains(where: { $0.completedAt == nil && $0.window.closeAt <= now })
            {
                run = 0
            }
        }
        return (run, best)
    }
}
