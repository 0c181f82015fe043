import SaunterCore

/// The people of a dry run, who this time take part through the public API of a server that runs on `clock`. They behave as they do in the
/// run without a server: what they decide follows from the same draws. What is planned, and when reminders go out, is the server's affair.
package struct SimulatedCohort: Sendable {
    package let simulation: Simulation
    package let clock: SimulatedClock
    private let password: String

    /// The most people of one run: they act one after the other.
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
    ///   - chores: what it does by itself, called then and once for every hour that passes, of which it is told.
    ///   - progress: told the simulated moment.
    package func run(
        on server: ServerClient, nextChore: () async throws -> Instant?,
        chores: (_ hourly: Bool) async throws -> Void,
        progress: (Instant) -> Void = { _ in }
    ) async throws -> HandedIn {
        let courses = simulation.courses().sorted { ($0.joinedAt, $0.place) < ($1.joinedAt, $1.place) }
        var people = courses.map {
            SimulatedParticipant($0, simulation, password: password, server: server)
        }
        var agenda = Agenda()
        for place in people.indices { agenda.add(people[place].begin(), of: place) }
        var hour = clock.now()
        var done = clock.now().adding(seconds: -Self.restSeconds)
        func catchUp(to moment: Instant) async throws {
            while true {
                // What it has looked at and could not settle it leaves alone for a while, as a server does.
                var due = try await nextChore() ?? .maximum
                if due <= done { due = done.adding(seconds: Self.restSeconds) }
                let next = min(due, hour)
                guard next <= moment else { return }
                clock.advance(to: next)
                try await chores(next == hour)
                done = next
                if next == hour {
                    progress(hour)
                    hour = hour.adding(seconds: 3600)
                }
            }
        }
        while let (errand, place) = agenda.next(), errand.at < simulation.until {
            try await catchUp(to: errand.at)
            clock.advance(to: errand.at)
            agenda.add(try await people[place].run(errand), of: place)
        }
        try await catchUp(to: simulation.until.adding(milliseconds: -1))
        clock.advance(to: simulation.until)
        try await chores(true)
        return people.reduce(into: HandedIn()) { $0.add($1.handedIn) }
    }
}

/// Something that somebody is going to do.
struct Errand: Sendable {
    enum Kind: Sendable {
        /// Hands in what a device kept back.
        case deliver
        case join
        /// Looks what is planned for the next days.
        case look
        case walk
        case travel(Zone)
        case tell(event: String)
        case pause(Bool)
        case answer(questionnaire: String, occasion: String, ReplyMaker.Place)
        case volunteer(questionnaire: String, Int)
        case leave
    }

    var at: Instant
    var kind: Kind

    /// What comes first of one moment.
    fileprivate var rank: Int {
        switch kind {
        case .deliver, .join: 0
        case .leave: 2
        default: 1
        }
    }
}

/// Everybody's errands, in the order of their time.
struct Agenda {
    private var entries: [(errand: Errand, person: Int, number: Int)] = []
    private var count = 0

    mutating func add(_ errands: [Errand], of person: Int) {
        for errand in errands {
            let entry = (errand, person, count)
            count += 1
            entries.append(entry)
            var child = entries.count - 1
            while child > 0, comes(child, before: (child - 1) / 2) {
                entries.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }
    }

    /// The earliest, taken; nil when there is none.
    mutating func next() -> (errand: Errand, person: Int)? {
        guard let first = entries.first else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if comes(child, before: least) { least = child }
            }
            guard least != parent else { break }
            entries.swapAt(parent, least)
            parent = least
        }
        return (first.errand, first.person)
    }

    private func comes(_ left: Int, before right: Int) -> Bool {
        let (one, other) = (entries[left], entries[right])
        return (one.errand.at, one.errand.rank, one.number) < (
            other.errand.at, other.errand.rank, other.number
        )
    }
}
