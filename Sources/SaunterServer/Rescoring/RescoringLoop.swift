import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// Updates stored scores to the active scoring keys in the background. It creates a job when a study's live version or
/// the scoring engine changes, and runs queued jobs, including those of other servers. A study whose versions cannot be
/// read does not block other studies.
struct RescoringLoop: Service, CustomStringConvertible {
    /// The name in logs.
    var description: String { "RescoringLoop" }

    private static let pauseSeconds = 2

    let store: Store
    let catalogue: StudyCatalogue
    let now: @Sendable () -> Instant
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var checked: [String: String] = [:]
            while !Task.isCancelled {
                do {
                    try await createJobs(checked: &checked)
                    while try await runNext() {}
                    try await Task.sleep(for: .seconds(Self.pauseSeconds))
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("rescoring cannot be processed", metadata: ["error": "\(error)"])
                    do { try await Task.sleep(for: .seconds(10)) } catch { return }
                }
            }
        }
    }

    /// Creates the required job for every study whose live version was not checked yet.
    /// - Parameter checked: for each study code, the live version that was checked.
    func createJobs(checked: inout [String: String]) async throws {
        for row in try await store.listStudies() where checked[row.study] != row.liveVersion {
            do {
                let activeKeys = try await catalogue.activeScoringKeys(of: row.study, live: row.liveVersion)
                _ = try await RescoringRepository(pool: store.research).begin(
                    activeKeys, cause: checked[row.study] == nil ? .engine : .publication, now: now())
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                logger.error(
                    "a study cannot be rescored",
                    metadata: ["study": "\(row.study)", "error": "\(error)"])
            }
            checked[row.study] = row.liveVersion
        }
    }

    /// Claims and runs one job.
    /// - Returns: false if no job is queued.
    func runNext() async throws -> Bool {
        let rescorings = RescoringRepository(pool: store.research)
        // A job in the state `settling` waits until no request can still store scores of the old keys.
        let claimed = try await rescorings.claim(
            now: now(), leaseUntil: now().adding(seconds: RescoringRun.leaseSeconds),
            settlesBefore: now().adding(seconds: -RescoringRun.settlingSeconds))
        guard let job = claimed, let study = try await store.findStudy(job.study) else { return false }
        let activeKeys = try await catalogue.activeScoringKeys(of: job.study, live: study.liveVersion)
        guard activeKeys.digest == job.rulesDigest else {
            // A newer version was published since. Another job replaces this one, or no job is necessary.
            try await rescorings.supersede(job, for: activeKeys, now: now())
            return true
        }
        let run = RescoringRun(pool: store.research, activeKeys: activeKeys, now: now)
        do {
            let outcome = try await run.run(job)
            for line in outcome.damaged {
                logger.error("a stored sheet cannot be scored", metadata: ["sheet": "\(line)"])
            }
            logger.info(
                "rescored a study", metadata: ["study": "\(job.study)", "sheets": "\(outcome.scored)"])
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            logger.error("a rescoring failed", metadata: ["rescoring": "\(job.id)", "error": "\(error)"])
            try await rescorings.fail(
                job, "The rescoring failed; see the server's log. Run `evaluator score` to start a new one.",
                now: now())
        }
        return true
    }
}
