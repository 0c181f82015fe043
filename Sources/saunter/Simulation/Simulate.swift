import ArgumentParser
import Console
import Foundation
import Logging
import SaunterCohort
import SaunterCore
import SaunterPacks
import SaunterServer
import SaunterStore

/// Runs a dry run of a study before it starts.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Simulate a study with simulated participants: occasions, burden, adherence, decision rules and reminders.",
        discussion: """
            Needs no database: the engine of the server computes plans, mails, adherence and the decisions of rules. The same seed \
            and options produce the same report. With --through-api the participants register, answer and walk through the public API of a temporary server with a \
            simulated clock. Then the command looks up every acknowledged sheet in the dataset and reports rejected records with the \
            reason. Simulated participants answer within the bounds of each item, but they do not know rules over several items.

            Examples:
              saunter simulate Questionnaires/studies/mindful-walking --participants 200 --start 2026-11-23 --recruiting 28
              saunter simulate Questionnaires/studies/daily-moments --participants 10000 --adherence 0.7 --dropout 0.2 --out dry-run
              saunter simulate Questionnaires/studies/daily-moments --participants 20 --through-api --out dataset
            """)

    @Argument(help: "The study's folder, studies/<code>.") var path: String
    @Option(
        help:
            "The number of participants, 1 to \(Simulation.maximumParticipants); through the API \(SimulatedCohort.maximumParticipants)."
    )
    var participants = 100
    @Option(help: "The first day on which participants join; unset: today.", transform: ArgumentValue.date)
    var start: LocalDate?
    @Option(help: "The number of days on which participants join.") var recruiting = 1
    @Option(
        help:
            "The length of the run in days; unset: until every participant's study is over, which takes long for years with decision rules."
    )
    var days: Int?
    @Option(
        help: "A home time zone; repeatable, assigned in turn. Unset: the zone of the study.",
        transform: ArgumentValue.zone)
    var zone: [Zone] = []
    @Option(help: "The same number produces the same participants and actions.") var seed: UInt64 = 1
    @OptionGroup(title: "Behaviour") var behaviour: BehaviourOptions
    @Option(help: "A new folder for the tables; through the API the study's dataset.") var out: String?
    @Flag(name: .customLong("through-api"), help: "Run everything through a real server.")
    var throughAPI = false
    @OptionGroup(title: "Settings, through the API") var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        let maximum = throughAPI ? SimulatedCohort.maximumParticipants : Simulation.maximumParticipants
        guard (1...maximum).contains(participants) else {
            throw ValidationError("--participants must be 1 to \(maximum)")
        }
        guard (1...Study.maximumDays).contains(recruiting) else {
            throw ValidationError("--recruiting must be 1 to \(Study.maximumDays)")
        }
        if let days, !(1...2 * Study.maximumDays).contains(days) {
            throw ValidationError("--days must be 1 to \(2 * Study.maximumDays)")
        }
    }

    func run() async throws {
        let (checked, _) = try StudyPublication.read(studyAt: path)
        let (study, publication) = (checked.study, checked.publication)
        if throughAPI { try study.requireEvaluatedRules() }
        let simulation = SimulationOptions(
            participants: participants, start: start ?? Zone.utc.local(of: .current()).date,
            recruitingDays: recruiting, zones: zone, days: days, behaviour: behaviour.behaviour, seed: seed
        ).simulation(of: study, hints: try AnswerHints.all(of: study, in: publication.files))
        let clock = ContinuousClock()
        let begun = clock.now
        let folder = throughAPI ? nil : out
        var tables = try folder.map { try SimulationTables(directory: $0) }
        var done = 0
        let report = try await simulation.run(workers: ProcessInfo.processInfo.activeProcessorCount) {
            part, total in
            try tables?.add(part)
            done += part.count
            Terminal.progress("simulated participants: \(done) of \(total)")
        }
        Terminal.endProgress()
        let seconds = (clock.now - begun) / .seconds(1)
        var object = simulation.summary(report)
        try tables?.close(summary: .object(object))
        var check: SimulationCheck?
        if throughAPI {
            let server = SimulationServer(
                settings: try options.settings(), simulation: simulation, publication: publication,
                library: checked.edition, directory: path)
            check = try await server.run(out: out)
            object["through_api"] = check?.json
        }
        if json {
            Terminal.line(JSON.object(object).text)
        } else {
            for line in SimulationText(simulation, report, walksPerDay: behaviour.walks).lines {
                Terminal.line(line)
            }
            for line in check?.lines(comparedWith: report) ?? [] { Terminal.line(line) }
            let perSecond = Int(Double(report.total.participantDays) / max(seconds, 0.001))
            Terminal.note(
                "\(report.total.participantDays) participant days in \(Self.short(seconds)) s, \(perSecond) a second"
            )
        }
        if let check, !check.isComplete { throw ExitCode(1) }
    }

    /// Seconds to one decimal.
    static func short(_ seconds: Double) -> String { String(format: "%.1f", seconds) }
}
