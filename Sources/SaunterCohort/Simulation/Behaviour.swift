import SaunterCore

/// How made-up participants take part in a dry run. Shares lie between 0 and 1; each is drawn for itself, so that changing one leaves
/// what follows from the others as it was.
package struct Behaviour: Sendable, Hashable {
    /// The share of occasions that are answered while somebody takes part, as the mean over people.
    package var adherence = 0.8
    /// People differ: each has a share of their own, evenly drawn from this far below the mean to this far above it; where that
    /// would leave 0 to 1, from a narrower span, so that the mean stays.
    package var spread = 0.15
    /// Of the answered occasions, those that are answered after their due and before their close.
    package var late = 0.1
    /// The chance that a spell of 6 to 48 hours without network begins on a day. Sheets and walks of a spell reach the server when it ends, and
    /// what follows them is planned then; journeys, breaks and events are told then; nothing is fetched meanwhile.
    package var offline = 0.05
    /// People who make a journey of 3 to 14 days to another zone.
    package var travel = 0.1
    /// People who stop answering at some moment of the study without a word, evenly spread.
    package var dropout = 0.1
    /// People who leave the study at some moment, likewise.
    package var withdrawal = 0.03
    /// People who take a break from prompts of 2 to 7 days.
    package var pause = 0.02
    /// Walks a day, in studies that know walks.
    package var walksPerDay = 0.7
    /// The chance that a named event of the study happens to somebody.
    package var event = 0.8
    /// Sheets a day of each questionnaire that may be answered at any time.
    package var unscheduledPerDay = 0.3

    package init() {}

    /// What somebody's share of answered occasions is.
    func propensity(_ numbers: inout SeededNumbers) -> Double {
        let mean = min(1, max(0, adherence))
        let reach = min(max(0, spread), mean, 1 - mean)
        return reach > 0 ? mean + Double.random(in: -reach...reach, using: &numbers) : mean
    }
}
