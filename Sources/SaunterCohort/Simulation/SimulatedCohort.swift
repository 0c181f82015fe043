import SaunterCore

/// The people of a dry run, who this time take part through the public API of a server that runs on `clock`. They behave as they do in the
/// run without a server: what they decide follows from the same draws. What is planned, and when reminders go out, is the server's affair. People act
/// side by side, in rounds in which the server has nothing to do by itself (`Study.roundSeconds`): the server hears of a round at its last moment, and
/// what is handed in says when it was made.
package struct SimulatedCohort: Sendable {
    package let simulation: Simulation
    package let clock: SimulatedClock
    private let password: String

    /// The most people of one run: they join one after the other, and everybody's password is hashed as a real one is.
    package static let mostParticipants = 1000

    private static let restSeconds = 20

    /// - Parameter password: of everybody.
    package init(_ simulation: Simulation, password: String) {
        self.simulation = simulation
        self.password = password
        clock = SimulatedClock(at: Zone.utc.startOfDay(simulation.start.adding(days: -1)))
    }

    /// Lets all of it happen.
    /// - Parameters:
    ///   - nextChore: when the server has something to do by itself; nil when, as things stand, it never has.
    ///   - chores: what it does by itself, called then and once for every midnight (UTC) that passes, of which it is told; gives what `nextChore` would.
    ///   - progress: told the simulated moment.
    package func run(
        on server: ServerClient, nextChore: () async throws -> Instant?,
        chores: (_ nightly: Bool) async throws -> Instant?,
        progress: (Instant) -> Void = { _ in }
    ) async throws -> HandedIn {
        let courses = simulation.courses().sorted { ($0.joinedAt, $0.place) < ($1.joinedAt, $1.place) }
        var people = courses.map {
            SimulatedParticipant($0, simulation, password: password, server: server)
        }
        var agenda = Agenda()
        for place in people.indices { agenda.add(people[place].begin(), of: place) }
        var midnight = clock.now()
        var done = clock.now().adding(seconds: -Self.restSeconds)
        /// - Returns: until when nothing waits to be done, as things stand; after `moment`.
        func catchUp(to moment: Instant) async throws -> Instant {
            var chore = try await nextChore()
            while true {
                // What it has looked at and could not settle it leaves alone for a while, as a server does.
                var due = chore ?? .maximum
                if due <= done { due = done.adding(seconds: Self.restSeconds) }
                let next = min(due, midnight)
                guard next <= moment else { return next }
                clock.advance(to: next)
                chore = try await chores(next == midnight)
                done = next
                if next == midnight {
                    progress(midnight)
                    midnight = midnight.adding(seconds: 86_400)
                }
            }
        }
        let span = simulation.study.roundSeconds
        while let first = agenda.nextAt, first < simulation.until {
            let calmUntil = try await catchUp(to: first)
            let end = min(calmUntil, simulation.until)
            guard let round = agenda.nextRound(within: span, before: end) else { break }
            clock.advance(to: round.lastAt)
            for (doing, person, following) in try await act(round.doings, people) {
                people[doing.person] = person
                agenda.add(following, of: doing.person)
            }
        }
        _ = try await catchUp(to: simulation.until.adding(milliseconds: -1))
        clock.advance(to: simulation.until)
        _ = try await chores(true)
        return people.reduce(into: HandedIn()) { $0.add($1.handedIn) }
    }

    /// Lets a round happen.
    /// - Returns: each doing, in their order, with the person afterwards, and what follows.
    private func act(
        _ doings: [Doing], _ people: [SimulatedParticipant]
    ) async throws -> [(doing: Doing, person: SimulatedParticipant, following: [Errand])] {
        let now = clock.now()
        var done: [Int: (SimulatedParticipant, [Errand])] = [:]
        try await withThrowingTaskGroup(of: (Int, SimulatedParticipant, [Errand]).self) { group in
            var begun = 0
            func begin() {
                guard begun < doings.count else { return }
                let number = begun
                let doing = doings[number]
                let whose = people[doing.person]
                group.addTask {
                    var person = whose
                    var following: [Errand] = []
                    for errand in doing.errands { following += try await person.run(errand, now: now) }
                    return (number, person, following)
                }
                begun += 1
            }
            for _ in 0..<ServerClient.mostConnections { begin() }
            while let (number, person, following) = try await group.next() {
                done[number] = (person, following)
                begin()
            }
        }
        return doings.enumerated().compactMap { number, doing in
            done[number].map { (doing: doing, person: $0.0, following: $0.1) }
        }
    }
}
