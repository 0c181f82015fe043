import SaunterCore
import Testing

@testable import SaunterCohort

@Suite struct CohortActionsTests {
    private static let days = 90

    private func actions(_ hints: AnswerHints? = nil) throws -> [CohortAction] {
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 90)], days: 90, anyTime: ["log"])
        study.settings = ["colours"]
        let until = Instant(milliseconds: 1_790_000_000_000)
        return CohortActions(
            people: (0..<12).map { Person(index: $0, seed: 1) }, study: study,
            model: AnswerModel(study, hints: hints.map { ["log": $0] } ?? [:]), days: Self.days, until: until,
            seed: 1
        ).actions
    }

    /// Participant -> study day -> number of entries.
    private func entries(_ actions: [CohortAction]) -> [Int: [Int: Int]] {
        var counts: [Int: [Int: Int]] = [:]
        for action in actions {
            guard case .makeEntry("log", _) = action.kind else { continue }
            counts[action.participant, default: [:]][action.day, default: 0] += 1
        }
        return counts
    }

    @Test func `participants make about as many entries a day as the pack states, and some days have none`()
        throws
    {
        let counts = entries(try actions(try AnswerHints(root: ["entries_per_day": 3], items: [:])))
        // Without those who stop or leave.
        let steady = counts.filter { ![6, 8].contains(Person(index: $0.key, seed: 1).index % 10) }

        let total = steady.values.reduce(0) { $0 + $1.values.reduce(0, +) }
        let perDay = Double(total) / Double(steady.count) / Double(Self.days)
        #expect(perDay > 1.5 && perDay < 4, "\(perDay)")
        #expect(steady.values.allSatisfy { $0.count < Self.days })
        #expect(steady.values.contains { $0.values.contains { $0 >= 5 } })
    }

    @Test func `without a statement of the pack there are few entries`() throws {
        let counts = entries(try actions())

        let total = counts.values.reduce(0) { $0 + $1.values.reduce(0, +) }
        #expect(total > 0 && Double(total) / Double(12 * Self.days) < 0.6)
    }

    @Test func `every participant sets up the app once, after joining`() throws {
        let actions = try actions()
        for index in 0..<12 {
            let own = actions.filter { $0.participant == index }.map(\.kind)
            #expect(own.first == .join && own.filter { $0 == .setUp }.count == 1)
        }
        #expect(actions.contains { $0.kind == .changeSetting(questionnaire: "colours") })
    }

    @Test func `nothing happens after a participant has stopped or left`() throws {
        let all = try actions()
        for index in 0..<12 {
            let person = Person(index: index, seed: 1)
            let own = all.filter { $0.participant == index }
            guard let last = person.habit.lastDay(of: Self.days) else { continue }
            // What was recorded without network arrives on the next day.
            #expect(own.allSatisfy { $0.day <= last + 1 })
            #expect(own.contains { $0.kind == .withdraw } == (person.habit == .withdrawing))
        }
    }
}
