/// How many occasions the definition of a study lays out for one participant, however it lies in the calendar. What follows walks and sheets is not in
/// it: nobody knows how many there will be.
package struct PlanDensity: Sendable {
    /// The days on which something falls, in order, and how much.
    private typealias Days = [(day: Int, count: Int)]
    /// Of each arm, by what its schedules count from.
    private let arms: [[Days]]

    /// - Parameter study: one that has passed its checks; of another it may tell too few.
    package init(of study: Study) {
        let nominal = study.schedules.indices.map { NominalSchedule(study, place: $0) }
        let codes: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        var plans: Set<[Int]> = []
        arms = codes.compactMap { arm in
            let mine = study.schedules.indices.filter {
                study.schedules[$0].applies(to: arm) && !study.schedules[$0].anchor.isRepeated
            }
            guard plans.insert(mine).inserted else { return nil }
            var counts: [Anchor: [Int: Int]] = [:]
            for place in mine {
                let anchor = study.dayZero(of: study.schedules[place])
                let days = nominal[place].days(enrolledOn: Study.monday)
                for number in days.numbers {
                    counts[anchor, default: [:]][number + days.origin, default: 0] +=
                        nominal[place].windowsPerDay
                }
            }
            return counts.values.map { list in
                list.sorted { $0.key < $1.key }.map { (day: $0.key, count: $0.value) }
            }
        }
    }

    /// Of one participant in so many days in a row: those with the most, in the arm that has the most.
    package func most(in length: Int) -> Int {
        arms.map { $0.reduce(0) { $0 + Self.most(of: $1, in: length) } }.max() ?? 0
    }

    private static func most(of days: Days, in length: Int) -> Int {
        var first = 0
        var sum = 0
        var most = 0
        for (day, count) in days {
            sum += count
            while days[first].day <= day - max(length, 1) {
                sum -= days[first].count
                first += 1
            }
            most = max(most, sum)
        }
        return most
    }
}
