import SaunterCore

/// How simulated participants take part in a dry run. Shares are between 0 and 1. Each is drawn with a separate
/// generator, so a change of one does not affect the others.
package struct Behaviour: Sendable, Hashable {
    /// The share of occasions that are answered during participation, as the mean over participants.
    package var adherence = 0.8
    /// The half-width of the uniform distribution of the participants' shares around the mean. It is reduced if the
    /// distribution would exceed 0 to 1, so that the mean does not change.
    package var spread = 0.15
    /// The share of answered occasions that are answered after the due time and before the occasion closes.
    package var late = 0.1
    /// The probability per day that a period of 6 to 48 hours without network begins. Sheets, walks, journeys, breaks
    /// and events of such a period reach the server at its end. Meanwhile the device fetches nothing.
    package var offline = 0.05
    /// The share of participants who travel to another zone for 3 to 14 days.
    package var travel = 0.1
    /// The share of participants who stop answering, at a uniformly distributed time.
    package var dropout = 0.1
    /// The share of participants who leave the study, at a uniformly distributed time.
    package var withdrawal = 0.03
    /// The share of participants who take a break of 2 to 7 days.
    package var pause = 0.02
    /// Walks a day, in studies with walks.
    package var walksPerDay = 0.7
    /// The probability that a named event of the study happens to a participant.
    package var event = 0.8
    /// Sheets a day of each questionnaire that can be answered at any time.
    package var unscheduledPerDay = 0.3

    /// The share of participants who answer a questionnaire of settings in the hour after joining. The others keep the
    /// defaults of the pack.
    package var settings = 0.85

    /// Creates the default behaviour.
    package init() {}

    /// Draws the share of occasions that a participant answers.
    func propensity(_ numbers: inout SeededNumbers) -> Double {
        let mean = min(1, max(0, adherence))
        let halfWidth = min(max(0, spread), mean, 1 - mean)
        return halfWidth > 0 ? mean + Double.random(in: -halfWidth...halfWidth, using: &numbers) : mean
    }
}
