import ArgumentParser
import Foundation
import Logging
import SaunterCohort
import SaunterCore
import SaunterStore

/// Fills a study with made-up people, through the public API.
struct MakeCohort: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cohort",
        abstract: "Let made-up people take part in a study over the last days, to have something to look at.",
        discussion: """
            Everything goes through the public API of a server that this command runs beside, on a clock of its own, and what \
            that server rejects is told with the reason. Done twice it changes nothing. Names are made up, addresses end in example.org; never do this to a study with real \
            participants.

            Example: saunter cohort --participants 12 --days 9
            """)

    @Option(help: "How many people, 1 to 200.") var participants = 12
    @Option(help: "How many days ago the first joined, 1 to 60.") var days = 9
    @Option(help: "The study's code.") var study = "mindful-walking"
    @Option(help: "The same number makes the same people, answers and walks.") var seed: UInt64 = 1
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (1...200).contains(participants) else { throw ValidationError("--participants is 1 to 200") }
        guard (1...60).contains(days) else { throw ValidationError("--days is 1 to 60") }
    }

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let notes = CohortNotes(dataDirectory: settings.dataDirectory, study: study)
        let login = try await StoreUse(settings: settings, purpose: .command, logger: logger).run { store in
            guard try await store.findStudy(study) != nil else {
                throw CommandFault("the study \(study) is not published; use saunter publish")
            }
            return try await make(notes, store, settings, logger)
        }
        show(login, settings)
    }

    /// Makes the cohort, or goes on with one that was begun, or finds it done.
    private func make(
        _ notes: CohortNotes, _ store: Store, _ settings: Settings, _ logger: Logger
    ) async throws -> CohortLogin {
        let started = try notes.read()
        let plan =
            started?.plan
            ?? CohortPlan(
                participants: participants, days: days, seed: seed, until: .current(),
                password: Self.password())
        let cohort = Cohort(
            study: study, participants: plan.participants, days: plan.days, seed: plan.seed,
            until: plan.until,
            password: plan.password)
        let login = CohortLogin(participant: cohort.firstEmail, password: plan.password)
        let isThere = try await store.findAccount(email: cohort.firstEmail) != nil
        if let started, started.isDone, isThere { return login }
        if started == nil, isThere {
            throw CommandFault("there is a cohort already, made from another data directory")
        }
        try notes.write(plan, isDone: false)
        try await addResearcher(plan.password, store)
        try await run(cohort, store, settings, logger)
        try notes.write(plan, isDone: true)
        return login
    }

    private func addResearcher(_ password: String, _ store: Store) async throws {
        guard try await store.findAccount(email: Cohort.researcherEmail) == nil else { return }
        let account = Account(
            id: AccountID(UUID()), email: Cohort.researcherEmail, name: "Rosa Field",
            passwordHash: try await PasswordHashing().hash(password).text, zone: nil, language: "en",
            createdAt: .current())
        try await store.insert(account)
        try await store.give(Grant(role: .researcher, study: study), to: account.id)
    }

    /// Runs a server on the cohort's clock and lets everything happen.
    private func run(_ cohort: Cohort, _ store: Store, _ settings: Settings, _ logger: Logger) async throws {
        try await ServerBeside(settings: settings, store: store, logger: logger).run(clock: cohort.clock) {
            server in
            let handedIn = try await cohort.run(on: server) { done, all in
                if done % 10 == 0 || done == all {
                    Terminal.progress("made-up people at work: \(done) of \(all)")
                }
            }
            Terminal.endProgress()
            for line in handedIn.rejectionLines { Terminal.note(line) }
        }
    }

    private static func password() -> String { String(RandomToken.make().text.prefix(16)) }

    private func show(_ login: CohortLogin, _ settings: Settings) {
        if json {
            let shown: JSON = [
                "participant": .string(login.participant), "researcher": .string(Cohort.researcherEmail),
                "password": .string(login.password), "url": .string(settings.publicURL),
            ]
            return Terminal.line(shown.text)
        }
        for line in login.guide(url: settings.publicURL, study: study) { Terminal.line(line) }
    }
}
