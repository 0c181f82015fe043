import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCohort
import SaunterCore
import SaunterServer
import SaunterStore

/// Fills a study with data of simulated participants, through the public API.
struct CreateCohort: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cohort",
        abstract: "Create simulated participants with data of the last days, for demonstrations.",
        discussion: """
            The command runs a server with a simulated clock and uses only its public API. It reports each rejected record with \
            the reason. It is idempotent. The cohort of a second study has the same participants and the same researcher. Answers to \
            the items of a scale agree with each other, and scores improve more in the arm with target feedback, otherwise in the \
            first arm. Names are invented, addresses end in example.org. Never use it for a study with real \
            participants.

            Example: saunter cohort --study mindful-walking --participants 12 --days 9
            """)

    @Option(help: "The number of participants, 1 to 200.") var participants = 12
    @Option(help: "How many days ago the first participant joined, 1 to \(Cohort.maximumDays).") var days = 9
    @Option(help: "The study's code.") var study: String
    @Option(help: "The same number produces the same participants, answers and walks.") var seed: UInt64 = 1
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (1...200).contains(participants) else {
            throw ValidationError("--participants must be 1 to 200")
        }
        guard (1...Cohort.maximumDays).contains(days) else {
            throw ValidationError("--days must be 1 to \(Cohort.maximumDays)")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        let file = CohortFile(dataDirectory: settings.dataDirectory, study: study)
        let login = try await StoreSession(settings: settings, user: .command, logger: logger).run {
            store in
            let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
            guard let live = try await catalogue.findLive(study) else {
                throw CommandFault("the study \(study) is not published; use saunter publish")
            }
            let study = live.published.study
            let files = try await store.findStudyFiles(study.code, version: study.version)?.files ?? [:]
            let hints = try AnswerHints.all(of: study, in: files)
            return try await create(file, study, hints, store, settings, logger)
        }
        show(login, settings)
    }

    /// Creates the cohort, or continues an interrupted run. Does nothing if the cohort is complete.
    private func create(
        _ file: CohortFile, _ study: Study, _ hints: [String: AnswerHints], _ store: Store,
        _ settings: Settings, _ logger: Logger
    ) async throws -> CohortLogin {
        let stored = try file.read()
        let sharedPassword = try file.passwordOfOtherStudy()
        let parameters =
            stored?.parameters
            ?? CohortParameters(
                participants: participants, days: days, seed: seed, until: .current(),
                password: sharedPassword ?? Self.password())
        let cohort = Cohort(
            study: study, hints: hints, participants: parameters.participants, days: parameters.days,
            seed: parameters.seed, until: parameters.until, password: parameters.password)
        let login = CohortLogin(
            participant: cohort.firstEmail, participants: cohort.emails, password: parameters.password,
            study: study)
        let accountExists = try await store.findAccount(email: cohort.firstEmail) != nil
        if let stored, stored.isDone, accountExists {
            // A cohort of an earlier version has fewer roles.
            try await addResearcher(stored.parameters.password, store)
            return login
        }
        if stored == nil, accountExists, sharedPassword == nil {
            throw CommandFault("a cohort already exists; it was created with another data directory")
        }
        try file.write(parameters, isDone: false)
        try await addResearcher(parameters.password, store)
        try await run(cohort, store, settings, logger)
        try await verifyAddresses(of: cohort, store)
        try file.write(parameters, isDone: true)
        return login
    }

    /// Creates the account of the researcher if it is missing, and grants the roles that it does not have yet. The
    /// researcher is also an editor, to try out drafts and new studies.
    private func addResearcher(_ password: String, _ store: Store) async throws {
        let account: AccountID
        if let known = try await store.findAccount(email: Cohort.researcherEmail) {
            account = known.id
        } else {
            let new = Account(
                id: AccountID(UUID()), email: Cohort.researcherEmail, name: "Rosa Field",
                passwordHash: try await PasswordHasher().hash(password).text, zone: nil, language: "en",
                createdAt: .current(), emailVerifiedAt: .current())
            try await store.insert(new)
            account = new.id
        }
        let present = try await store.listGrants(account)
        for role in [Role.researcher, .editor]
        where !present.contains(where: { $0.role == role && $0.study == study }) {
            try await store.grant(
                Grant(role: role, study: study), to: account, by: .system, now: .current())
        }
    }

    /// Runs a server with the cohort's clock, and the cohort's actions on it.
    private func run(_ cohort: Cohort, _ store: Store, _ settings: Settings, _ logger: Logger) async throws {
        let server = EmbeddedServer(settings: settings, store: store, logger: logger)
        try await store.withSimulationCode(
            for: cohort.study, participants: cohort.participants, from: cohort.clock.now(),
            until: cohort.until
        ) { code in
            try await server.run(clock: cohort.clock) { server in
                let outcomes = try await cohort.run(on: server, enrolmentCode: code) { done, all in
                    if done % 10 == 0 || done == all {
                        Terminal.progress("actions of simulated participants: \(done) of \(all)")
                    }
                }
                Terminal.endProgress()
                for line in outcomes.rejectionLines { Terminal.note(line) }
            }
        }
    }

    /// Simulated participants read no mails, so the command confirms their addresses for them.
    private func verifyAddresses(of cohort: Cohort, _ store: Store) async throws {
        for email in cohort.emails {
            guard let account = try await store.findAccount(email: email), account.emailVerifiedAt == nil
            else { continue }
            let code = RandomToken.make()
            try await store.resendEmailVerification(code, of: account.id, now: cohort.until)
            _ = try await store.verifyEmail(codeHash: code.digest, of: account.id, now: cohort.until)
        }
    }

    private static func password() -> String { String(RandomToken.make().text.prefix(16)) }

    private func show(_ login: CohortLogin, _ settings: Settings) {
        if json {
            let shown: JSON = [
                "participant": .string(login.participant),
                "participants": .array(login.participants.map(JSON.string)),
                "researcher": .string(Cohort.researcherEmail), "password": .string(login.password),
                "url": .string(settings.publicURL),
            ]
            return Terminal.line(shown.text)
        }
        for line in login.guide(url: settings.publicURL) { Terminal.line(line) }
    }
}
