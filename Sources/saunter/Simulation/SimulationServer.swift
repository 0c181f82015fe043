import Console
import Foundation
import Logging
import Postgres
import SaunterCohort
import SaunterCore
import SaunterEvaluation
import SaunterPacks
import SaunterReminders
import SaunterServer
import SaunterStore
import Synchronization

/// A dry run through a real server: a temporary PostgreSQL, the complete API with a simulated clock, a mail channel
/// that only counts, and the study's dataset.
struct SimulationServer {
    let settings: Settings
    let simulation: Simulation
    let publication: Publication
    /// The content that messages of rules can contain; nil if the study has none.
    let library: EditionDraft?
    /// The folder of the study, which contains the media of the library.
    let directory: String
    /// Up to this number, due messages are sent one by one.
    private static let maximumSingleMessages = 8
    /// How often unfinished work of rules is tried at one moment of the simulated clock.
    private static let maximumAttempts = 100

    /// - Parameter out: the folder for the dataset; nil discards it.
    func run(out: String?) async throws -> SimulationCheck {
        let logger = Logger.command(settings)
        if let out, FileManager.default.fileExists(atPath: out) {
            throw CommandFault("\(out) already exists; use a new folder")
        }
        return try await TemporaryCluster(settings: settings, logger: logger).run { url, folder in
            try await Migrations.apply(to: url, logger: logger)
            let master = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            let store = Store(url, secrets: StoreSecrets(master: master), connections: 8, logger: logger)
            do {
                let check = try await run(store, url, folder, out, logger)
                await store.close()
                return check
            } catch {
                await store.close()
                throw error
            }
        }
    }

    private func run(
        _ store: Store, _ url: ConnectionString, _ folder: URL, _ out: String?, _ logger: Logger
    ) async throws -> SimulationCheck {
        let cohort = SimulatedCohort(simulation, password: String(RandomToken.make().text.prefix(16)))
        guard try await store.confirmMasterKey() else {
            throw CommandFault("the temporary database is not empty")
        }
        _ = try await store.publish(publication, now: cohort.clock.now())
        if let library {
            try await store.saveMedia(of: publication, directory: directory, now: cohort.clock.now())
            _ = try await store.publish(library, now: cohort.clock.now())
        }
        let hasRules = !simulation.study.rules.isEmpty
        let mails = Count()
        let (step, loop) = reminderWorkers(store, cohort.clock, counting: mails, logger)
        // The next due times, as of the last query.
        var dueTimes: [Instant] = []
        var rulesDueAt: Instant?
        var verifiedCount = 0
        func nextWork() async throws -> Instant? {
            if verifiedCount < simulation.participants {
                verifiedCount += try await verifyAddresses(store, now: cohort.clock.now())
            }
            dueTimes = try await store.listFirstRemindersDue(Self.maximumSingleMessages + 1)
            if hasRules { rulesDueAt = try await store.findNextRuleWork() }
            return [dueTimes.first, rulesDueAt].compactMap(\.self).min()
        }
        func doWork(nightly: Bool) async throws -> Instant? {
            if nightly, await loop.extendPlans() > 0 {
                throw CommandFault("the occasions of a participant could not be planned")
            }
            let now = cohort.clock.now()
            // Workers pass over a participant whom another transaction of the server has locked, so unfinished work is
            // tried again before the clock moves on.
            for _ in 0..<Self.maximumAttempts {
                guard let due = rulesDueAt, due <= now else { break }
                // The rules queue messages, which leave at once or when the quiet hours end.
                if await loop.decideRules().faults > 0 {
                    throw CommandFault("the rules of a participant could not be evaluated")
                }
                while try await step.sendReminder(now: now) != .idle {}
                _ = try await nextWork()
                if let due = rulesDueAt, due <= now { try await Task.sleep(for: .milliseconds(20)) }
            }
            // A few messages are sent one by one, because most queries of the loop's workers would find nothing.
            while !nightly, let count = Self.dueCount(dueTimes, at: now) {
                for _ in 0..<count {
                    guard try await step.sendReminder(now: now) != .idle else { return try await nextWork() }
                }
                _ = try await nextWork()
            }
            guard nightly || dueTimes.first.map({ $0 <= now }) ?? false else {
                return [dueTimes.first, rulesDueAt].compactMap(\.self).min()
            }
            if await loop.drain().faults > 0 { throw CommandFault("a reminder could not be sent") }
            return try await nextWork()
        }
        var outcomes = SubmissionOutcomes()
        let clock = ContinuousClock()
        let begun = clock.now
        let span = simulation.until.milliseconds(since: cohort.clock.now())
        let server = EmbeddedServer(settings: settings, store: store, logger: logger)
        try await store.withSimulationCode(
            for: simulation.study, participants: simulation.participants, from: cohort.clock.now(),
            until: simulation.until
        ) { code in
            try await server.run(clock: cohort.clock, dataDirectory: folder.path) { server in
                outcomes = try await cohort.run(
                    on: server, enrolmentCode: code, nextWork: nextWork, doWork: doWork
                ) { now in
                    let remaining = simulation.until.milliseconds(since: now)
                    Terminal.progress("run through the API: \(100 - remaining * 100 / max(span, 1)) %")
                }
                Terminal.endProgress()
            }
        }
        let seconds = (clock.now - begun) / .seconds(1)
        let dataset = out ?? folder.appending(path: "dataset").path
        try await writeDataset(to: dataset, url, logger)
        return try SimulationCheck(
            dataset: dataset, outcomes: outcomes, mails: mails.value.withLock { $0 }, seconds: seconds,
            hasRules: hasRules)
    }

    /// The reminder workers of the server, with a mail channel that only counts.
    private func reminderWorkers(
        _ store: Store, _ clock: SimulatedClock, counting mails: Count, _ logger: Logger
    ) -> (step: ReminderStep, loop: ReminderLoop) {
        let channel = MailChannel { _ in
            mails.value.withLock { $0 += 1 }
            return .accepted
        }
        let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
        let step = ReminderStep(
            store: store, catalogue: catalogue, channels: Channels(mail: channel),
            publicURL: settings.publicURL, logger: logger)
        let loop = ReminderLoop(
            step: step,
            rules: RuleStep(
                store: store, catalogue: catalogue,
                content: ContentCatalogue(store: store, read: PublishedStudyReader.readLibrary),
                publicURL: settings.publicURL),
            store: store, catalogue: catalogue, now: clock.now,
            workers: ReminderLoop.productionWorkers, logger: logger)
        return (step, loop)
    }

    /// Simulated participants confirm their addresses as soon as they have registered, so that reminders do not wait.
    /// - Returns: the number of confirmed addresses.
    private func verifyAddresses(_ store: Store, now: Instant) async throws -> Int {
        var count = 0
        while let mail = try await store.claimOutgoingMail(now: now, leaseUntil: simulation.until) {
            let code = RandomToken.digest(of: mail.message["code"]?.string ?? "")
            if try await store.verifyEmail(codeHash: code, of: mail.account, now: now) { count += 1 }
        }
        return count
    }

    /// The number of due messages; nil if there is none, or more than `maximumSingleMessages`.
    private static func dueCount(_ moments: [Instant], at now: Instant) -> Int? {
        let count = moments.prefix { $0 <= now }.count
        return (1...maximumSingleMessages).contains(count) ? count : nil
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    private func writeDataset(to path: String, _ url: ConnectionString, _ logger: Logger) async throws {
        func pool(_ role: String) -> Pool {
            Pool(
                connectionString: url, size: 2, role: role, name: role, statementTimeout: nil, logger: logger)
        }
        let (export, research) = (pool("saunter_export"), pool("saunter_research"))
        do {
            let writer = DatasetWriter(
                pool: export, numberChanges: { _ = try await ChangeNumbering.run($0, on: research) })
            _ = try await writer.write(
                DatasetRequest(
                    study: simulation.study.code, profile: .coded, filters: DatasetFilters(), formats: []),
                to: path, now: simulation.until)
        } catch {
            await export.close(grace: .zero)
            await research.close(grace: .zero)
            throw error
        }
        await export.close()
        await research.close()
    }
}
