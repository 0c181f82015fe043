import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// Brings stored scores in line with the keys in force, beside the requests: begins a job when a study's live version or the engine is another,
/// and works jobs off, whoever began them. A study whose versions cannot be read keeps nobody else waiting.
struct RescoringLoop: Service {
    private static let restSeconds = 2

    let store: Store
    let catalogue: StudyCatalogue
    let now: @Sendable () -> Instant
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var seen: [String: String] = [:]
            while !Task.isCancelled {
                do {
                    try await begin(seen: &seen)
                    while try await runNext() {}
                    try await Task.sleep(for: .seconds(Self.restSeconds))
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("re-scoring is stuck", metadata: ["error": "\(error)"])
                    do { try await Task.sleep(for: .seconds(10)) } catch { return }
                }
            }
        }
    }

    /// Begins what is to be done for every study whose live version was not looked at yet.
    /// - Parameter seen: study -> live version that was looked at.
    func begin(seen: inout [String: String]) async throws {
        for row in try await store.listStudies() where seen[row.study] != row.liveVersion {
            do {
                let inForce = try await catalogue.scoring(of: row.study, live: row.liveVersion)
                _ = try await Rescorings(pool: store.research).begin(
                    inForce, cause: seen[row.study] == nil ? .engine : .publication, now: now())
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                logger.error(
                    "a study cannot be scored again",
                    metadata: ["study": "\(row.study)", "error": "\(error)"])
            }
            seen[row.study] = row.liveVersion
        }
    }

    /// One job; false when none waits.
    func runNext() async throws -> Bool {
        let rescorings = Rescorings(pool: store.research)
        let claimed = try await rescorings.claim(
            now: now(), leaseUntil: now().adding(seconds: RescoringRun.leaseSeconds),
            settlesBefore: now().adding(seconds: -RescoringRun.settlingSeconds))
        guard let job = claimed, let study = try await store.findStudy(job.study) else { return false }
        let inForce = try await catalogue.scoring(of: job.study, live: study.liveVersion)
        guard inForce.digest == job.rulesDigest else {
            // Something newer was published since: another job takes its place, or nothing is to be done.
            try await rescorings.giveUp(job, for: inForce, now: now())
            return true
        }
        let run = RescoringRun(pool: store.research, inForce: inForce, now: now)
        do {
            let outcome = try await run.run(job)
            for line in outcome.damaged {
                logger.error("a stored sheet cannot be scored", metadata: ["sheet": "\(line)"])
            }
            logger.info(
                "scored again", metadata: ["study": "\(job.study)", "sheets": "\(outcome.scored)"])
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            logger.error("a re-scoring failed", metadata: ["rescoring": "\(job.id)", "error": "\(error)"])
            try await rescorings.fail(
                job, "It could not go on; see the server's log. evaluator score begins anew.", now: now())
        }
        return true
    }
}
