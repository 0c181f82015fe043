/// Upper bound of the number of occasions that a study plans for one participant. Schedules that follow walks and
/// sheets are left out, because their number is unknown.
package struct PlanDensity: Sendable {
    /// Days with occasions, in order, and the number of occasions on each.
    private typealias Days = [(day: Int, count: Int)]
    /// For each arm: the days, grouped by the anchor of the schedules.
    private let arms: [[Days]]

    /// - Parameter study: a study without faults. For others the number may be too low.
    package init(of study: Study) {
        let nominal = study.schedules.indices.map { NominalSchedule(study, position: $0) }
        let codes: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        var plans: Set<[Int]> = []
        arms = codes.compactMap { arm in
            let applicable = study.schedules.indices.filter {
                study.schedules[$0].applies(to: arm) && !study.schedules[$0].anchor.isRepeated
            }
            guard plans.insert(applicable).inserted else { return nil }
            var counts: [Anchor: [Int: Int]] = [:]
            for position in applicable {
                let anchor = study.dayZero(of: study.schedules[position])
                let days = nominal[position].days(enrolledOn: Study.monday)
                for number in days.numbers {
                    counts[anchor, default: [:]][number + days.origin, default: 0] +=
                        nominal[position].windowsPerDay
                }
            }
            return counts.values.map { list in
                list.sorted { $0.key < $1.key }.map { (day: $0.key, count: $0.value) }
            }
        }
    }

    /// Maximum number of occasions of one participant in this number of consecutive days, in the arm with the most.
    package func maximumOccasions(in length: Int) -> Int {
        arms.map { $0.reduce(0) { $0 + Self.maximumOccasions(of: $1, in: length) } }.max() ?? 0
    }

    private static func maximumOccasions(of days: Days, in length: Int) -> Int {
        var first = 0
        var sum = 0
        var maximumOccasions = 0
        for (day, count) in days {
            sum += count
            while days[first].day <= day - max(length, 1) {
                sum -= days[first].count
                first += 1
            }
            maximumOccasions = max(maximumOccasions, sum)
        }
        return maximumOccasions
    }
}
