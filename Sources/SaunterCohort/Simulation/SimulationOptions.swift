import SaunterCore

/// The options of a dry run, from which a command and a route create the same simulation.
package struct SimulationOptions: Sendable {
    /// The number of participants, 1 to `Simulation.maximumParticipants`.
    package var participants: Int
    /// The first local date on which participants may join.
    package var start: LocalDate
    /// The number of days on which participants may join.
    package var recruitingDays: Int
    /// The home zones, assigned in turn; empty for the zone of the study.
    package var zones: [Zone]
    /// The length of the run; nil until the study of every participant is over.
    package var days: Int?
    /// How participants take part.
    package var behaviour: Behaviour
    /// Equal seeds produce equal runs.
    package var seed: UInt64

    /// Creates options. Participants join on one day, and live in the zone of the study, by default.
    package init(
        participants: Int, start: LocalDate, recruitingDays: Int = 1, zones: [Zone] = [], days: Int? = nil,
        behaviour: Behaviour = Behaviour(), seed: UInt64 = 1
    ) {
        self.participants = participants
        self.start = start
        self.recruitingDays = recruitingDays
        self.zones = zones
        self.days = days
        self.behaviour = behaviour
        self.seed = seed
    }

    /// The simulation with these options.
    /// - Parameter hints: how participants answer, by code of the questionnaire.
    package func simulation(of study: Study, hints: [String: AnswerHints] = [:]) -> Simulation {
        var simulation = Simulation(
            of: study, participants: participants, from: start, recruitingDays: recruitingDays, zones: zones,
            days: days, behaviour: behaviour, seed: seed)
        simulation.hints = hints
        return simulation
    }
}
