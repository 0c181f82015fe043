import SaunterCore

/// A small cohort of simulated participants who take part in a study over several days. It uses only the public API.
///
/// The server must use `clock`. A run is idempotent because every id is derived from the seed, so an interrupted run
/// can be repeated.
package struct Cohort: Sendable {
    /// The study in which the participants take part.
    package let study: Study
    /// How participants answer, by code of the questionnaire.
    private let hints: [String: AnswerHints]
    /// The number of participants, 1 to 200.
    package let participants: Int
    /// How many days ago the first participant joined.
    package let days: Int
    /// The start of all random decisions. Equal seeds produce equal runs.
    package let seed: UInt64
    /// The end of the run, normally the present.
    package let until: Instant
    /// The password of every simulated participant.
    package let password: String
    /// The clock that the server uses during the run.
    package let clock: SimulatedClock

    /// - Parameters:
    ///   - hints: how participants answer, by code of the questionnaire.
    ///   - participants: 1 to 200.
    ///   - days: how many days ago the first participant joined, 1 to `maximumDays`.
    package init(
        study: Study, hints: [String: AnswerHints] = [:], participants: Int, days: Int, seed: UInt64,
        until: Instant, password: String
    ) {
        self.study = study
        self.hints = hints
        self.participants = min(max(participants, 1), 200)
        self.days = min(max(days, 1), Self.maximumDays)
        self.seed = seed
        self.until = until
        self.password = password
        clock = SimulatedClock(at: until.adding(seconds: -(self.days + 2) * 86_400))
    }

    /// The maximum number of days of a run.
    package static let maximumDays = 366

    /// The address of the participant for trying out the app.
    package var firstEmail: String { Person(index: 0, seed: seed).email }

    /// The addresses of all simulated participants.
    package var emails: [String] { (0..<participants).map { Person(index: $0, seed: seed).email } }

    /// The address of the cohort's researcher.
    package static let researcherEmail = "rosa.field@example.org"

    /// Performs all actions on a server.
    /// - Parameters:
    ///   - enrolmentCode: a code for all participants, if the study has no open enrolment.
    ///   - progress: receives the number of completed actions and of all actions.
    /// - Returns: which submitted records the server accepted and rejected.
    package func run(
        on server: ServerClient, enrolmentCode: String? = nil,
        progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> SubmissionOutcomes {
        let plan = CohortActions(
            people: (0..<self.participants).map { Person(index: $0, seed: seed) }, study: study,
            model: AnswerModel(study, hints: hints), days: days, until: until, seed: seed)
        var participants = plan.people.map {
            Participant(
                person: $0, study: study, hints: hints, password: password, server: server, seed: seed)
        }
        for index in participants.indices { participants[index].enrolmentCode = enrolmentCode }
        for (index, action) in plan.actions.enumerated() {
            clock.advance(to: action.at)
            try await participants[action.participant].perform(action)
            progress(index + 1, plan.actions.count)
        }
        clock.advance(to: until)
        return participants.reduce(into: SubmissionOutcomes()) { $0.add($1.outcomes) }
    }
}
