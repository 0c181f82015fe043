import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// Runs the step until nothing waits, rests, and begins again; and once an hour extends the plans that are running out.
/// A fault of one participant or of the mail server never ends the loop.
package struct ReminderLoop: Service {
    static let restSeconds = 20
    static let planDaysAhead = 7

    /// Nil where no mail can be sent: then reminders wait, and plans are extended all the same.
    let step: ReminderStep?
    let store: Store
    let catalogue: StudyCatalogue
    let now: @Sendable () -> Instant
    let logger: Logger

    package init(
        step: ReminderStep?, store: Store, catalogue: StudyCatalogue, now: @escaping @Sendable () -> Instant,
        logger: Logger
    ) {
        self.step = step
        self.store = store
        self.catalogue = catalogue
        self.now = now
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await drain()
                await extendPlans()
                do {
                    try await Task.sleep(for: .seconds(Self.restSeconds))
                } catch {
                    return
                }
            }
        }
    }

    /// Everything that waits at this moment.
    /// - Returns: how often each result came.
    @discardableResult
    package func drain() async -> [ReminderStep.Result: Int] {
        var counts: [ReminderStep.Result: Int] = [:]
        guard let step else { return counts }
        var faults = 0
        while !Task.isCancelled, faults < 5 {
            do {
                let result = try await step.run(now: now())
                if result == .idle { break }
                counts[result, default: 0] += 1
            } catch is CancellationError {
                break
            } catch {
                faults += 1
                logger.error("a reminder step failed", metadata: ["error": "\(error)"])
            }
        }
        return counts
    }

    /// Active enrolments whose plan ends within a week get their next fortnight.
    package func extendPlans() async {
        let horizon = Zone.utc.local(of: now()).date.adding(days: Self.planDaysAhead)
        do {
            for id in try await store.listEnrolments(plannedBefore: horizon, limit: 500) {
                guard let enrolment = try await store.findEnrolment(id),
                    let published = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)
                else { continue }
                try await store.extendHorizon(id, study: published.study, now: now())
            }
        } catch {
            logger.error("plans could not be extended", metadata: ["error": "\(error)"])
        }
    }
}
