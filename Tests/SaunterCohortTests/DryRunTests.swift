import SaunterCore
import Testing

@testable import SaunterCohort

/// Dry runs that end soon: how they are shortened, and what they show.
@Suite struct DryRunTests {
    private static func options(participants: Int, days: Int? = nil) throws -> SimulationOptions {
        SimulationOptions(
            participants: participants, start: try #require(LocalDate("2026-03-16")), days: days, seed: 3)
    }

    @Test func `a run within the limit is the same as the simulation with its options`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 12)
        let options = try Self.options(participants: 30)
        let simulation = options.simulation(of: study)

        let found = try await DryRun.run(options, of: study, hints: [:], showing: 7)

        let expected = try await SimulationSample.run(simulation)
        #expect(!found.isShortened && found.report == expected.report)
        #expect(found.messagesByHour.reduce(0, +) == expected.report.total.reminders)
        // Mails are sent at 18:30, at home and on journeys.
        #expect(found.messagesByHour[18] > 0)
        #expect(found.shown?.course.index == 6)
        let again = try await DryRun.run(options, of: study, hints: [:], showing: 7)
        #expect(JSON.object(again.json(language: "en")).text == JSON.object(found.json(language: "en")).text)
    }

    @Test func `a larger run has fewer participants, then fewer days, and states what was requested`()
        async throws
    {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)
        let options = try Self.options(participants: 400)
        let work = try await SimulationWork(of: options, in: study)
        let days = options.simulation(of: study).days

        // One occasion a day on 20 of 21 days, and the days after the study, with one unit each.
        let whole = work.units(participants: 1, days: days)
        #expect((50...80).contains(whole), "\(whole)")
        let fewer = work.largestRun(participants: 400, limit: whole * 100.5)
        #expect(fewer.participants == 100 && fewer.days == days)
        let short = work.largestRun(participants: 400, limit: whole * 10)
        #expect(short.participants == 20 && short.days < days && short.days > 1)
        #expect(work.units(participants: 20, days: short.days) <= whole * 10)
        #expect(work.units(participants: 20, days: short.days + 1) > whole * 10)
        let least = work.largestRun(participants: 400, limit: 0)
        #expect(least.participants == 1 && least.days == 1)
        #expect(work.largestRun(participants: 5, limit: whole * 6).participants == 5)

        let found = try await DryRun.run(options, of: study, hints: [:], limit: whole * 10)

        #expect(found.isShortened && found.simulation.days == short.days)
        let json = JSON.object(found.json(language: "en"))
        #expect(json["participants"] == 20 && json["shortened"]?["participants"] == 400)
        #expect(json["shortened"]?["day_count"] == .int(days))
        #expect(json["report"]?["total"]?["people"] == 20)
    }

    @Test
    func `the estimate of a long study that follows answers is not more expensive than the largest run`()
        async throws
    {
        // Each answer of ten years plans the complete study again.
        let follow = try SimulationSample.evenings(
            days: 1, anchor: .completion(questionnaire: "evening"), id: "follow")
        let study = try SimulationSample.study(
            [SimulationSample.evenings(days: 3600), follow], days: 3600)
        let options = try Self.options(participants: 30)
        let limit = 2000.0

        let work = try await SimulationWork(of: options, in: study, limit: limit)

        let all = options.simulation(of: study).days
        #expect(work.units(participants: 1, days: all) == .infinity)
        #expect(work.units(participants: 1, days: 2).isFinite)
        let largest = work.largestRun(participants: 30, limit: limit)
        #expect(largest.days < all)
        let run = try await DryRun.run(options, of: study, hints: [:], limit: limit)
        #expect(run.isShortened && run.simulation.days == largest.days)
        // A short study is estimated completely with the same limit.
        let short = try SimulationSample.study([SimulationSample.evenings(days: 5), follow], days: 5)
        let known = try await SimulationWork(of: options, in: short, limit: limit)
        #expect(known.units(participants: 1, days: 5).isFinite)
    }

    @Test func `decision rules make a run expensive`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 10)
        var ruled = study
        let evening = try DecisionPoint.calendar(.init(times: [.literal(SimulationSample.time("20:00"))]))
        ruled.rules = ["one", "two"].map {
            DecisionRule(code: $0, point: evening, action: .message(.init()))
        }
        let options = try Self.options(participants: 10)

        let plain = try await SimulationWork(of: options, in: study).units(participants: 10, days: 10)
        let found = try await SimulationWork(of: options, in: ruled).units(participants: 10, days: 10)

        #expect(abs(found - plain - 10 * 10 * 10 * 2) < 1e-6)
    }

    @Test func `the course of a participant has every answer and message`() async throws {
        let study = try SimulationSample.study(
            [SimulationSample.evenings(days: 10)], days: 10, anyTime: ["note"])

        let found = try await DryRun.run(Self.options(participants: 3), of: study, hints: [:], showing: 2)

        let shown = try #require(found.shown)
        let days = JSON.object(found.json(language: "en"))["timeline"]?["days"]?.array ?? []
        func all(_ name: String) -> [JSON] { days.flatMap { $0[name]?.array ?? [] } }
        #expect(all("occasions").count == shown.occasions.filter(\.isCounted).count)
        #expect(
            all("occasions").count { $0["answered_at"]?.string != nil }
                == shown.occasions.filter(\.isAnswered).count)
        #expect(all("sheets").count == shown.unscheduled.count)
        #expect(all("messages").count == shown.reminders.count)
        #expect(days.compactMap { $0["study_day"]?.int } == days.compactMap { $0["study_day"]?.int }.sorted())
    }

    @Test func `a cancelled run ends with an error, also within a participant`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 300)], days: 300)
        let options = try Self.options(participants: 500)

        let task = Task { try await DryRun.run(options, of: study, hints: [:], limit: .infinity) }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        let one = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await SimulationSample.run(options.simulation(of: study)).report
        }
        await #expect(throws: CancellationError.self) { try await one.value }
    }
}
