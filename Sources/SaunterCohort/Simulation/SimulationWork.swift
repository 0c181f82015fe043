import SaunterCore

/// An estimate of how much work a run is, by counting. It depends only on the options, so that the same options are
/// always shortened in the same way.
///
/// A day of a participant is one unit. If it has `n` occasions, they add `n + n²` units, because each message considers
/// all occasions of its day. Each decision rule adds 10 units a day. Planning the complete study is a unit for each 50
/// occasions, and is repeated for each sheet that other occasions follow.
package struct SimulationWork: Sendable {
    /// The units that every participant needs for the plan.
    private let planUnits: Double
    /// The units of the first days of one participant: index 0 is one day. Never empty.
    private let unitsByDays: [Double]

    /// The units of a run that a server makes while its caller waits.
    package static let limit = 100_000.0
    /// A run is shortened to fewer days only if so many participants are too many.
    package static let fewestParticipants = 20

    /// The number of participants whose occasions are counted.
    private static let sampleSize = 4
    private static let (unitsPerRule, occasionsPerPlanUnit) = (10.0, 50.0)

    /// Counts the occasions of the first participants of a run. Messages and rules are not simulated for this.
    /// - Throws: `CancellationError`.
    package init(of options: SimulationOptions, in study: Study) async throws {
        var plain = study
        plain.rules = []
        plain.reminder = nil
        var sample = options
        sample.participants = min(max(options.participants, 1), Self.sampleSize)
        sample.days = nil
        let run = sample.simulation(of: plain)
        let days = options.simulation(of: study).days
        var occasions = Array(repeating: 0, count: days)
        var (planned, followed) = (0, 0)
        let following = study.followedQuestionnaires
        _ = try await run.run(workers: 1) { part, _ in
            for occasion in part.flatMap(\.occasions) {
                planned += 1
                if occasion.isAnswered, following.contains(occasion.questionnaire) { followed += 1 }
                let day = occasion.localDate.days - options.start.days
                if occasions.indices.contains(day) { occasions[day] += 1 }
            }
        }
        let size = Double(sample.participants)
        planUnits = Double(planned) / size * (1 + Double(followed) / size) / Self.occasionsPerPlanUnit
        let ruleUnits = Double(study.rules.count) * Self.unitsPerRule
        var sum = 0.0
        unitsByDays = occasions.map { count in
            let mean = Double(count) / size
            sum += 1 + mean + mean * mean + ruleUnits
            return sum
        }
    }

    /// The units of a run.
    /// - Parameter days: 1 to the days of the options.
    package func units(participants: Int, days: Int) -> Double {
        Double(participants) * (planUnits + unitsByDays[min(max(days, 1), unitsByDays.count) - 1])
    }

    /// The largest run within the limit: with fewer participants, but at least `fewestParticipants` if they were
    /// requested, and then with fewer days.
    /// - Returns: at least one participant and one day.
    package func largestRun(participants: Int, limit: Double = Self.limit) -> (participants: Int, days: Int) {
        let all = unitsByDays.count
        func most(_ days: Int) -> Int {
            Int(min(Double(participants), max(1, limit / units(participants: 1, days: days))))
        }
        let kept = max(most(all), min(participants, Self.fewestParticipants))
        if units(participants: kept, days: all) <= limit { return (kept, all) }
        guard let days = (1...all).last(where: { units(participants: kept, days: $0) <= limit }) else {
            return (most(1), 1)
        }
        return (kept, days)
    }
}
