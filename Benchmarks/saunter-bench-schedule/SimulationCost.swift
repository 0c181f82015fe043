import Foundation
import SaunterCohort
import SaunterCore

/// Measures a dry run: participants for 56 days with an evening questionnaire and five random ones a day.
enum SimulationCost {
    static func run(participants: Int) async throws {
        guard let start = LocalDate("2026-03-16") else { return }
        let study = EngineCost.makeStudy(days: 56)
        let zones = ["Europe/Berlin", "America/New_York"].compactMap { Zone($0) }
        let simulation = Simulation(
            of: study, participants: participants, from: start, recruitingDays: 28, zones: zones, seed: 1)
        let clock = ContinuousClock()
        for workers in [1, ProcessInfo.processInfo.activeProcessorCount] {
            let begun = clock.now
            let report = try await simulation.run(workers: workers)
            let seconds = (clock.now - begun) / .seconds(1)
            let days = report.total.participantDays
            print(
                "\(participants) participants on \(workers) threads: \(String(format: "%.1f", seconds)) s, "
                    + "\(Int(Double(days) / seconds)) participant days per second, \(report.total.occasions) occasions, "
                    + "\(report.total.reminders) reminders")
        }
    }
}
