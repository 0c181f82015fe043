import ArgumentParser
import Foundation
import Logging
import SaunterCohort
import SaunterCore
import SaunterPacks
import SaunterStore

/// A dry run of a whole study, before it starts.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try a whole study out with made-up people: what it asks of them, and what comes of it.",
        discussion: """
            Needs no database: plans, mails and adherence come from the engine that the server uses. The same seed and options give the \
            same report. With --through-api the people register, answer and walk through the public API of a server that is made for it, \
            on a clock of its own, and thrown away afterwards; then every sheet that it acknowledged is looked up in the dataset, \
            and whatever it rejected is told with the reason. Made-up people answer within the bounds of each item; of a study's rules over \
            several answers they know nothing.

            Examples:
              saunter simulate Questionnaires/studies/mindful-walking --participants 200 --start 2026-11-23 --recruiting 28
              saunter simulate Questionnaires/studies/daily-moments --participants 10000 --adherence 0.7 --dropout 0.2 --out dry-run
              saunter simulate Questionnaires/studies/daily-moments --participants 20 --through-api --out dataset
            """)

    @Argument(help: "The study's folder, studies/<code>.") var path: String
    @Option(
        help:
            "How many people, 1 to \(Simulation.mostParticipants); through the API \(SimulatedCohort.mostParticipants)."
    )
    var participants = 100
    @Option(help: "The first day on which somebody joins; unset: today.", transform: Simulate.date) var start:
        LocalDate?
    @Option(help: "On how many days people join.") var recruiting = 1
    @Option(help: "How many days are looked at; unset: until everybody's study is over.") var days: Int?
    @Option(
        help: "A home, in turn with others; any number. Unset: the study's.", transform: CourseOptions.zone)
    var zone: [Zone] = []
    @Option(help: "The same number makes the same people and what they do.") var seed: UInt64 = 1
    @OptionGroup(title: "Behaviour") var people: BehaviourOptions
    @Option(help: "A new folder for the tables; through the API the study's dataset.") var out: String?
    @Flag(name: .customLong("through-api"), help: "Let everything pass through a real server.")
    var throughAPI = false
    @OptionGroup(title: "Settings, through the API") var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        let most = throughAPI ? SimulatedCohort.mostParticipants : Simulation.mostParticipants
        guard (1...most).contains(participants) else {
            throw ValidationError("--participants is 1 to \(most)")
        }
        guard (1...Study.longestDays).contains(recruiting) else {
            throw ValidationError("--recruiting is 1 to \(Study.longestDays)")
        }
        if let days, !(1...2 * Study.longestDays).contains(days) {
            throw ValidationError("--days is 1 to \(2 * Study.longestDays)")
        }
    }

    func run() async throws {
        let (publication, study, _) = try Publication.read(studyAt: path)
        let simulation = Simulation(
            of: study, participants: participants,
            from: start ?? Zone.utc.local(of: .current()).date, recruitingDays: recruiting, zones: zone,
            days: days, behaviour: people.behaviour, seed: seed)
        let clock = ContinuousClock()
        let begun = clock.now
        let folder = throughAPI ? nil : out
        var tables = try folder.map { try SimulationTables(directory: $0) }
        var done = 0
        let report = try await simulation.run(workers: ProcessInfo.processInfo.activeProcessorCount) {
            lives, all in
            try tables?.add(lives)
            done += lives.count
            Terminal.progress("made-up people: \(done) of \(all)")
        }
        Terminal.endProgress()
        let seconds = (clock.now - begun) / .seconds(1)
        var object: JSONObject = [
            "study": .string(study.code), "version": .string(study.version), "seed": .string("\(seed)"),
            "participants": .int(participants), "start": .string(simulation.start.description),
            "until": .string(simulation.until.description),
            "nominal_burden": Self.burden(study, people.walks),
            "report": report.json,
        ]
        try tables?.close(summary: .object(object))
        var check: SimulationCheck?
        if throughAPI {
            let server = SimulationServer(
                settings: try options.settings(), simulation: simulation, publication: publication)
            check = try await server.run(out: out)
            object["through_api"] = check?.json
        }
        if json {
            Terminal.line(JSON.object(object).text)
        } else {
            for line in SimulationText(simulation, report, walksPerDay: people.walks).lines {
                Terminal.line(line)
            }
            for line in check?.lines(beside: report) ?? [] { Terminal.line(line) }
            let perSecond = Int(Double(report.total.personDays) / max(seconds, 0.001))
            Terminal.note(
                "\(report.total.personDays) days of participants in \(Self.short(seconds)) s, \(perSecond) a second"
            )
        }
        if let check, !check.isWhole { throw ExitCode(1) }
    }

    /// Minutes a day by the definition alone, as `saunter check` states them.
    private static func burden(_ study: Study, _ walks: Double) -> JSON {
        .array(
            study.arms.map {
                [
                    "arm": .string($0.code),
                    "minutes_per_day": .double(study.burdenMinutesPerDay(arm: $0.code, walksPerDay: walks)),
                ]
            })
    }

    static func short(_ seconds: Double) -> String { String(format: "%.1f", seconds) }

    @Sendable private static func date(_ text: String) throws -> LocalDate {
        guard let date = LocalDate(text) else {
            throw ValidationError("\(text) is not a date, such as 2026-11-23")
        }
        return date
    }
}
