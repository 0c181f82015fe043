import SaunterCore

/// A small cohort of made-up people who take part in a study over several days, through the public API alone.
///
/// The server must run on `clock`. The same cohort handed in again changes nothing: every id follows from
/// the seed, so that a run which was interrupted can simply be made again.
package struct Cohort: Sendable {
    package let study: String
    package let participants: Int
    package let days: Int
    package let seed: UInt64
    /// The cohort's last moment: the present of whoever looks at it.
    package let until: Instant
    /// Of every made-up participant.
    package let password: String
    package let clock: SimulatedClock

    /// - Parameters:
    ///   - participants: 1 to 200.
    ///   - days: how many days ago the first joined, 1 to 60.
    package init(
        study: String, participants: Int, days: Int, seed: UInt64, until: Instant, password: String
    ) {
        self.study = study
        self.participants = min(max(participants, 1), 200)
        self.days = min(max(days, 1), 60)
        self.seed = seed
        self.until = until
        self.password = password
        clock = SimulatedClock(at: until.adding(seconds: -(self.days + 2) * 86_400))
    }

    /// The address of the participant whom one tries out.
    package var firstEmail: String { Person(place: 0, seed: seed).email }

    /// The address of the researcher that belongs to it.
    package static let researcherEmail = "rosa.field@example.org"

    /// Lets all of it happen on a server.
    /// - Parameter progress: told the number of acts done and of all.
    /// - Returns: what became of all that they handed in.
    package func run(
        on server: ServerClient, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> HandedIn {
        let diary = Diary(
            people: (0..<participants).map { Person(place: $0, seed: seed) }, days: days, until: until,
            seed: seed)
        var people = diary.people.map {
            Participant(person: $0, study: study, password: password, server: server, seed: seed)
        }
        for (place, act) in diary.acts.enumerated() {
            clock.advance(to: act.at)
            try await people[act.person].perform(act)
            progress(place + 1, diary.acts.count)
        }
        clock.advance(to: until)
        return people.reduce(into: HandedIn()) { $0.add($1.handedIn) }
    }
}
