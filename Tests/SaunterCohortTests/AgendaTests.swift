import SaunterCore
import Testing

@testable import SaunterCohort

@Suite("Agenda")
struct AgendaTests {
    private static func at(_ minute: Int) -> Instant { Instant(milliseconds: Int64(minute) * 60_000) }

    /// Of an hour at most, until there is none.
    private static func rounds(of agenda: inout Agenda, before end: Instant = .maximum) -> [Round] {
        var rounds: [Round] = []
        while let round = agenda.nextRound(within: 3600, before: end) { rounds.append(round) }
        return rounds
    }

    private static func look(_ minute: Int) -> Errand { Errand(at: at(minute), kind: .look) }

    @Test func `a round holds what each person does within its span, in its order`() throws {
        var agenda = Agenda()
        agenda.add([Self.look(40), Self.look(2), Self.look(71)], of: 0)
        agenda.add([Self.look(30), Self.look(60)], of: 1)

        let rounds = Self.rounds(of: &agenda)

        try #require(rounds.count == 2)
        let (first, second) = (rounds[0], rounds[1])

        #expect(first.doings.map(\.person) == [0, 1])
        #expect(
            first.doings.map { $0.errands.map(\.at) } == [
                [Self.at(2), Self.at(40)], [Self.at(30), Self.at(60)],
            ])
        #expect(first.lastAt == Self.at(60))
        #expect(second.doings.map(\.person) == [0])
        #expect(second.lastAt == Self.at(71))
    }

    @Test func `a round ends before the server has something to do by itself`() {
        var agenda = Agenda()
        agenda.add([Self.look(1), Self.look(5)], of: 0)

        let rounds = Self.rounds(of: &agenda, before: Self.at(5))

        #expect(rounds.map(\.lastAt) == [Self.at(1)])
        #expect(agenda.nextAt == Self.at(5))
    }

    @Test func `what the server keeps its own time of happens alone, at its moment`() {
        var agenda = Agenda()
        agenda.add([Self.look(1), Errand(at: Self.at(2), kind: .pause(true)), Self.look(3)], of: 0)
        agenda.add([Self.look(2), Self.look(4)], of: 1)

        let rounds = Self.rounds(of: &agenda).map { $0.doings.flatMap(\.errands).map(\.at).sorted() }

        #expect(
            rounds == [[Self.at(1)], [Self.at(2)], [Self.at(2), Self.at(3), Self.at(4)]],
            "\(rounds.map { $0.map(\.description) })")
    }

    /// Of what follows a walk: whether it is reminded of, how long it is open, and how long a round may be then.
    @Test(arguments: [(true, 4, 300), (false, 4, 3600), (false, 1, 300)])
    func `minutes matter where what follows a walk is reminded of or closes soon`(
        isReminded: Bool, hours: Int, seconds: Int
    ) throws {
        var after = try SimulationSample.evenings(days: 3, anchor: .walk, id: "after")
        after.reminded = isReminded
        after.slots[0].dueAfter = 3600
        after.slots[0].closeAfter = hours * 3600
        let evenings = try SimulationSample.evenings(days: 3)

        #expect(try SimulationSample.study([evenings, after], days: 3).roundSeconds == seconds)
        #expect(try SimulationSample.study([evenings], days: 3).roundSeconds == 3600)
    }
}
