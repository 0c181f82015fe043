import ArgumentParser
import SaunterCohort

/// How the made-up people of a dry run behave.
struct BehaviourOptions: ParsableArguments {
    @Option(
        help: "The share of occasions that people answer while they take part, 0 to 1; the mean over people.")
    var adherence = Behaviour().adherence
    @Option(help: "How far one person's share may lie from that mean.") var spread = Behaviour().spread
    @Option(help: "Of the answered occasions, the share answered after their due.") var late = Behaviour()
        .late
    @Option(help: "The chance of a day that a spell without network begins.") var offline = Behaviour()
        .offline
    @Option(help: "The share of people who travel to another zone for some days.") var travel = Behaviour()
        .travel
    @Option(help: "The share of people who stop answering without a word.") var dropout = Behaviour().dropout
    @Option(help: "The share of people who leave the study.") var withdrawal = Behaviour().withdrawal
    @Option(help: "The share of people who take a break from prompts.") var pause = Behaviour().pause
    @Option(help: "Walks a day, in studies that know walks.") var walks = Behaviour().walksPerDay
    @Option(help: "The chance that a named event of the study happens to somebody.") var events = Behaviour()
        .event
    @Option(help: "Sheets a day of each questionnaire that may be answered at any time.")
    var unscheduled = Behaviour().unscheduledPerDay

    func validate() throws {
        let shares = [
            ("adherence", adherence), ("spread", spread), ("late", late), ("offline", offline),
            ("travel", travel),
            ("dropout", dropout), ("withdrawal", withdrawal), ("pause", pause), ("events", events),
        ]
        if let wrong = shares.first(where: { !(0...1).contains($0.1) }) {
            throw ValidationError("--\(wrong.0) is a share from 0 to 1")
        }
        if dropout + withdrawal > 1 {
            throw ValidationError("--dropout and --withdrawal are at most 1 together")
        }
        if !(0...24).contains(walks) { throw ValidationError("--walks is 0 to 24") }
        if !(0...24).contains(unscheduled) { throw ValidationError("--unscheduled is 0 to 24") }
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
        return behaviour
    }
}
