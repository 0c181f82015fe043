import ArgumentParser
import SaunterCohort

/// The options for the behaviour of simulated participants in a dry run.
struct BehaviourOptions: ParsableArguments {
    @Option(
        help:
            "The share of occasions that participants answer while they take part, 0 to 1; the mean over participants."
    )
    var adherence = Behaviour().adherence
    @Option(help: "The maximum difference between the share of one participant and this mean.")
    var spread = Behaviour().spread
    @Option(help: "The share of answered occasions that are answered after the due time.")
    var late = Behaviour().late
    @Option(help: "The probability per day that a period without network begins.")
    var offline = Behaviour().offline
    @Option(help: "The share of participants who travel to another zone for some days.")
    var travel = Behaviour().travel
    @Option(help: "The share of participants who stop answering without leaving.")
    var dropout = Behaviour().dropout
    @Option(help: "The share of participants who leave the study.") var withdrawal = Behaviour().withdrawal
    @Option(help: "The share of participants who take a break.") var pause = Behaviour().pause
    @Option(help: "Walks a day, in studies with walks.") var walks = Behaviour().walksPerDay
    @Option(help: "The probability that a named event of the study happens to a participant.")
    var events = Behaviour().event
    @Option(help: "Sheets a day of each questionnaire that may be answered at any time.")
    var unscheduled = Behaviour().unscheduledPerDay
    @Option(
        help:
            "The share of participants who answer a questionnaire of settings in the hour after joining. The others keep the defaults."
    )
    var settings = Behaviour().settings

    func validate() throws {
        let shares = [
            ("adherence", adherence), ("spread", spread), ("late", late), ("offline", offline),
            ("travel", travel),
            ("dropout", dropout), ("withdrawal", withdrawal), ("pause", pause), ("events", events),
            ("settings", settings),
        ]
        if let wrong = shares.first(where: { !(0...1).contains($0.1) }) {
            throw ValidationError("--\(wrong.0) must be 0 to 1")
        }
        if dropout + withdrawal > 1 {
            throw ValidationError("the sum of --dropout and --withdrawal must be at most 1")
        }
        if !(0...24).contains(walks) { throw ValidationError("--walks must be 0 to 24") }
        if !(0...24).contains(unscheduled) { throw ValidationError("--unscheduled must be 0 to 24") }
    }

    var behaviour: Behaviour {
        var behaviour = Behaviour()
        behaviour.adherence = adherence
        behaviour.spread = spread
        behaviour.late = late
        behaviour.offline = offline
        behaviour.travel = travel
        behaviour.dropout = dropout
        behaviour.withdrawal = withdrawal
        behaviour.pause = pause
        behaviour.walksPerDay = walks
        behaviour.event = events
        behaviour.unscheduledPerDay = unscheduled
        behaviour.settings = settings
        return behaviour
    }
}
