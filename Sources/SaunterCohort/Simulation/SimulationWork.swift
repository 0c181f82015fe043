import SaunterCore

/// An estimate of how much work a run is, by counting. It depends only on the options, so that the same options are
/// always shortened in the same way.
///
/// A day of a participant is one unit. If it has `n` occasions, they add `n + n²` units, because each message considers
/// all occasions of its day. Each decision rule adds 10 units a day. Planning the complete study is a unit for each 50
/// occasions, and is repeated for each sheet that other occasions follow.
///
/// The estimate plans a few participants itself. It stops when they need the limit, so it is not more expensive than
/// the largest run. The days after that are too many for any run of as many participants.
package struct SimulationWork: Sendable {
    /// The units of the first days of one participant: index 0 is one day. Never empty. Days of which the estimate
    /// knows only that they are too many have infinitely many units.
    private let unitsByDays: [Double]

    /// The units of a run that a server makes while its caller waits.
    package static let limit = 100_000.0
    /// A run is shortened to fewer days only if so many participants are too many.
    package static let fewestParticipants = 20

    /// The number of participants whose occasions are counted.
    private static let sampleSize = 4
    private static let (unitsPerRule, occasionsPerPlanUnit) = (10.0, 50.0)

    /// Counts the occasions of the first participants of a run. Messages and rules are not simulated for this.
    /// - Parameter limit: the units of the largest run, which are also those of the estimate.
    /// - Throws: `CancellationError`.
    package init(
        of options: SimulationOptions, in study: Study, limit: Double = Self.limit
    ) async throws {
        var plain = study
        plain.rules = []
        plain.reminder = nil
        var sample = options
        sample.participants = min(max(options.participants, 1), Self.sampleSize)
        sample.days = nil
        let size = Double(sample.participants)
        var run = sample.simulation(of: plain)
        // A run of so many participants with a longer plan is beyond the limit anyway.
        run.planLimit = Int(min(limit / size * Self.occasionsPerPlanUnit, 1e9))
        let days = options.simulation(of: study).days
        var occasions = Array(repeating: 0, count: days)
        // Sheets that other occasions follow, by the day of the answer.
        var followed = Array(repeating: 0, count: days)
        var planned = 0
        var knownDays = days
        let following = study.followedQuestionnaires
        _ = try await run.run(workers: 1) { part, _ in
            for participant in part {
                if let end = participant.plannedBefore {
                    let day = Zone.utc.local(of: end).date.days - options.start.days
                    knownDays = min(knownDays, max(day, 0))
                }
                for occasion in participant.occasions {
                    planned += 1
                    let day = occasion.localDate.days - options.start.days
                    guard occasions.indices.contains(day) else { continue }
                    occasions[day] += 1
                    if occasion.isAnswered, following.contains(occasion.questionnaire) { followed[day] += 1 }
                }
            }
        }
        let plan = Double(planned) / size / Self.occasionsPerPlanUnit
        let ruleUnits = Double(study.rules.count) * Self.unitsPerRule
        var sum = plan
        unitsByDays = occasions.indices.map { day in
            guard day < knownDays || day == 0 else { return .infinity }
            let mean = Double(occasions[day]) / size
            sum += 1 + mean + mean * mean + ruleUnits + plan * Double(followed[day]) / size
            return sum
        }
    }

    /// The units of a run.
    /// - Parameter days: 1 to the days of the options.
    package func units(participants: Int, days: Int) -> Double {
        Double(participants) * unitsByDays[min(max(days, 1), unitsByDays.count) - 1]
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
