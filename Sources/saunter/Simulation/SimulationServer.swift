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

/// A dry run through a real server: a PostgreSQL of its own, the whole API on a clock of its own, mails that go nowhere, and the study's dataset.
struct SimulationServer {
    let settings: Settings
    let simulation: Simulation
    let publication: Publication
    private static let fewMessages = 8

    /// - Parameter out: where the dataset stays; nil throws it away.
    func run(out: String?) async throws -> SimulationCheck {
        let logger = Logger.command(settings)
        if let out, FileManager.default.fileExists(atPath: out) {
            throw CommandFault("\(out) is there already; give a new folder")
        }
        return try await ScratchCluster(settings: settings, logger: logger).run { url, folder in
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
        guard try await store.confirmMasterKey() else { throw CommandFault("the database made is not empty") }
        _ = try await store.publish(publication, now: cohort.clock.now())
        let mails = Count()
        let channel = Channel(name: "simulation") { _ in
            mails.value.withLock { $0 += 1 }
            return .accepted
        }
        let catalogue = StudyCatalogue(store: store, read: StudyReading.read)
        let step = ReminderStep(
            store: store, catalogue: catalogue, channels: Channels(mail: channel),
            publicURL: settings.publicURL, logger: logger)
        let loop = ReminderLoop(
            step: step, store: store, catalogue: catalogue, now: cohort.clock.now,
            workers: ReminderLoop.usualWorkers, logger: logger)
        // Those that come next, as they were when it was last looked.
        var coming: [Instant] = []
        func nextChore() async throws -> Instant? {
            coming = try await store.firstRemindersDue(Self.fewMessages + 1)
            return coming.first
        }
        func chores(nightly: Bool) async throws -> Instant? {
            if nightly, await loop.extendPlans() > 0 { throw CommandFault("somebody is without a plan") }
            let now = cohort.clock.now()
            // Where few people wait, the loop's workers would look in vain, and each once more after the last.
            while !nightly, let few = Self.few(coming, at: now) {
                for _ in 0..<few {
                    guard try await step.remind(now: now) != .idle else { return try await nextChore() }
                }
                _ = try await nextChore()
            }
            guard nightly || coming.first.map({ $0 <= now }) ?? false else { return coming.first }
            if await loop.drain().faults > 0 { throw CommandFault("a reminder could not be sent") }
            return try await nextChore()
        }
        var handedIn = HandedIn()
        let clock = ContinuousClock()
        let begun = clock.now
        let span = simulation.until.milliseconds(since: cohort.clock.now())
        try await ServerBeside(settings: settings, store: store, logger: logger).run(
            clock: cohort.clock, dataDirectory: folder.path
        ) { server in
            handedIn = try await cohort.run(on: server, nextChore: nextChore, chores: chores) { now in
                let left = simulation.until.milliseconds(since: now)
                Terminal.progress("through the API: \(100 - left * 100 / max(span, 1)) %")
            }
            Terminal.endProgress()
        }
        let seconds = (clock.now - begun) / .seconds(1)
        let dataset = out ?? folder.appending(path: "dataset").path
        try await writeDataset(to: dataset, url, logger)
        return try SimulationCheck(
            dataset: dataset, handedIn: handedIn, mails: mails.value.withLock { $0 }, seconds: seconds)
    }

    /// How many of these have come; nil where it is none, or many.
    private static func few(_ moments: [Instant], at now: Instant) -> Int? {
        let count = moments.prefix { $0 <= now }.count
        return (1...fewMessages).contains(count) ? count : nil
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
                pool: export, number: { _ = try await ChangeNumbering.run($0, on: research) })
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
