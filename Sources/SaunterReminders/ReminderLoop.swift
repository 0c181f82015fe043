import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle
import Synchronization

/// The background worker for messages. It runs the reminder step until nothing is due, then sleeps. At the same time
/// it extends plans that end soon, and once an hour it deletes expired rows and unused anonymous accounts. A fault of
/// one participant or of the mail server never ends the loop.
package struct ReminderLoop: Service, CustomStringConvertible {
    /// The name in logs.
    package var description: String { "ReminderLoop" }

    static let pollIntervalSeconds = 20
    /// A user waits for a code in front of a screen, so the loop looks for codes more often.
    static let codePollIntervalSeconds = 2
    /// A rule that an answer triggers acts within two seconds.
    static let decisionIntervalSeconds = 1
    /// The number of workers in production; each sends one message at a time. With several workers, one slow server
    /// does not delay messages to other servers.
    package static let productionWorkers = 4
    static let planDaysAhead = 7
    private static let cleanupIntervalSeconds = 3600
    /// After this number of failed steps, `drain` stops until the next poll.
    private static let maximumFaults = 5

    /// Nil if no channel is configured. Then reminders wait, but plans are still extended.
    let step: ReminderStep?
    /// Evaluates the rules of studies; nil in tests without rules.
    let rules: RuleStep?
    let store: Store
    let catalogue: StudyCatalogue
    let now: @Sendable () -> Instant
    let logger: Logger
    let workers: Int
    /// Whether rules have decided something since the last messages were sent.
    private let hasDecided = Flag()

    /// A truth value that tasks share.
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var value: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// - Parameter workers: the maximum number of messages in flight. Tests use one worker.
    package init(
        step: ReminderStep?, rules: RuleStep? = nil, store: Store, catalogue: StudyCatalogue,
        now: @escaping @Sendable () -> Instant,
        workers: Int = 1, logger: Logger
    ) {
        self.workers = workers
        self.step = step
        self.rules = rules
        self.store = store
        self.catalogue = catalogue
        self.now = now
        self.logger = logger
    }

    /// Runs until the process shuts down gracefully or the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            // These loops are concurrent, so an unreachable mail server cannot stop the extension of plans.
            async let messages: Void = sendWhenDecided()
            async let codes: Void = runPeriodically {
                await sendAccountMails().faults == 0 ? Self.codePollIntervalSeconds : Self.pollIntervalSeconds
            }
            async let decisions: Void = runPeriodically {
                await decideRules()
                return Self.decisionIntervalSeconds
            }
            async let plans: Void = runPeriodically {
                await extendPlans()
                return Self.pollIntervalSeconds
            }
            async let cleanup: Void = runPeriodically {
                await deleteExpiredRows()
                return Self.cleanupIntervalSeconds
            }
            _ = await (messages, codes, decisions, plans, cleanup)
        }
    }

    /// Sends messages that are due, every `pollIntervalSeconds`, and as soon as rules have decided something. Rules are
    /// evaluated at the same time, so a message does not wait until all participants are evaluated.
    private func sendWhenDecided() async {
        while !Task.isCancelled {
            hasDecided.value = false
            await send()
            for _ in 0..<(Self.pollIntervalSeconds * 10) where !hasDecided.value {
                do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
            }
        }
    }

    /// - Parameter work: returns the number of seconds to sleep afterwards.
    private func runPeriodically(_ work: () async -> Int) async {
        while !Task.isCancelled {
            let seconds = await work()
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
        }
    }

    /// Deletes expired logins, codes and tokens, old sent mails, anonymous accounts that were not used for the time of
    /// their studies, and media that no draft and no edition contains.
    func deleteExpiredRows() async {
        do {
            try await store.deleteExpiredIdentityRows(now: now())
        } catch {
            logger.error("expired rows could not be deleted", metadata: ["error": "\(error)"])
        }
        do {
            _ = try await AccountExpiryStep(store: store, catalogue: catalogue).run(now: now())
        } catch {
            logger.error("unused accounts could not be erased", metadata: ["error": "\(error)"])
        }
        do {
            try await store.deleteUnusedMedia(now: now())
        } catch {
            logger.error("unused media could not be deleted", metadata: ["error": "\(error)"])
        }
    }

    /// Evaluates the rules of all participants whose evaluation is due. Then queues what concerns many people: mails
    /// about alerts, and broadcasts.
    /// - Returns: the number of evaluations, alerts and parts of broadcasts, and the number of failed ones.
    @discardableResult
    package func decideRules() async -> (count: Int, faults: Int) {
        guard let rules else { return (0, 0) }
        var (count, faults) = (0, 0)
        while !Task.isCancelled, faults < Self.maximumFaults {
            do {
                guard try await rules.run(now: now()) else { break }
                count += 1
                hasDecided.value = true
            } catch {
                faults += 1
                logger.error("rules could not be evaluated", metadata: ["error": "\(error)"])
            }
        }
        do {
            let messages = try await StaffMessageStep(store: store, catalogue: catalogue, logger: logger)
                .run(now: now())
            if messages > 0 { hasDecided.value = true }
            count += messages
        } catch {
            faults += 1
            logger.error("alerts or broadcasts wait", metadata: ["error": "\(error)"])
        }
        return (count, faults)
    }

    /// Evaluates the rules that are due, and sends every message that is due now. While the mail server is unavailable,
    /// only messages of other channels are sent.
    /// - Returns: the number of steps for each result, and the number of failed steps.
    @discardableResult
    package func drain() async -> (results: [ReminderStep.Result: Int], faults: Int) {
        await send(previousFaults: await decideRules().faults)
    }

    /// Sends every message that is due now.
    @discardableResult
    private func send(
        previousFaults: Int = 0
    ) async -> (results: [ReminderStep.Result: Int], faults: Int) {
        var faults = previousFaults
        guard let step else { return ([:], faults) }
        do {
            try await step.markAbandonedReminders(now: now())
        } catch {
            faults += 1
            logger.error("abandoned reminders could not be marked", metadata: ["error": "\(error)"])
        }
        return await withTaskGroup { [faults] group in
            for _ in 0..<max(1, workers) {
                group.addTask {
                    await runUntilIdle(maximumFaults: Self.maximumFaults, previousFaults: faults) {
                        try await step.run(now: $0)
                    }
                }
            }
            var total: (results: [ReminderStep.Result: Int], faults: Int) = ([:], faults)
            for await (results, workerFaults) in group {
                total.results.merge(results, uniquingKeysWith: +)
                total.faults += workerFaults - faults
            }
            return total
        }
    }

    /// Sends every waiting mail that is not a reminder.
    @discardableResult
    func sendAccountMails() async -> (results: [ReminderStep.Result: Int], faults: Int) {
        guard let step else { return ([:], 0) }
        return await runUntilIdle(maximumFaults: 1) { try await step.sendAccountMail(now: $0) }
    }

    /// Repeats the work until nothing is due or until `maximumFaults` faults have occurred, previous ones included.
    private func runUntilIdle(
        maximumFaults: Int, previousFaults: Int = 0,
        _ work: @escaping @Sendable (Instant) async throws -> ReminderStep.Result
    ) async -> (results: [ReminderStep.Result: Int], faults: Int) {
        var counts: [ReminderStep.Result: Int] = [:]
        var faults = previousFaults
        while !Task.isCancelled, faults < maximumFaults {
            // An unstructured task, because cancellation must not interrupt it: a claimed message is sent and recorded
            // before the loop stops.
            let task = Task { [now] in try await work(now()) }
            do {
                let result = try await task.value
                if result == .idle { break }
                counts[result, default: 0] += 1
            } catch {
                faults += 1
                logger.error("a reminder step failed", metadata: ["error": "\(error)"])
            }
        }
        return (counts, faults)
    }

    /// Extends the plan of each active enrolment to 14 days from now, if it ends within 7 days. If one plan cannot be
    /// extended, this function logs it and continues with the others.
    /// - Returns: the number of enrolments that still have no plan, at most 500.
    @discardableResult
    package func extendPlans() async -> Int {
        let horizon = Zone.utc.local(of: now()).date.adding(days: Self.planDaysAhead)
        var cursor: PlanCursor?
        while !Task.isCancelled {
            do {
                let page = try await store.listEnrolments(plannedBefore: horizon, after: cursor, limit: 500)
                for plan in page { await extendPlan(of: plan.enrolment) }
                guard page.count == 500 else { break }
                cursor = page.last
            } catch  where Task.isCancelled {
                return 0
            } catch {
                logger.error("plans could not be extended", metadata: ["error": "\(error)"])
                return 0
            }
        }
        return await countUnplannedEnrolments()
    }

    /// Logs an error if active enrolments have no plan, because they get no reminders. Call it after all plans were
    /// extended. Only plans that end before yesterday (UTC) are counted, because local dates differ between time zones.
    private func countUnplannedEnrolments() async -> Int {
        let yesterday = Zone.utc.local(of: now()).date.adding(days: -1)
        do {
            let unplanned = try await store.listEnrolments(plannedBefore: yesterday, limit: 500)
            guard let first = unplanned.first else { return 0 }
            logger.error(
                "active enrolments have no plan",
                metadata: [
                    "enrolments": "\(unplanned.count)", "first": "\(first.enrolment)",
                    "planned_through": "\(first.plannedThrough)",
                ])
            return unplanned.count
        } catch  where Task.isCancelled {
            return 0
        } catch {
            logger.error("enrolments without a plan could not be counted", metadata: ["error": "\(error)"])
            return 0
        }
    }

    private func extendPlan(of id: EnrolmentID) async {
        do {
            guard let enrolment = try await store.findEnrolment(id),
                let published = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)
            else { return }
            try await store.extendHorizon(id, study: published.study, now: now())
        } catch  where Task.isCancelled {
            // The next run of the server continues here.
        } catch {
            logger.error(
                "a plan could not be extended", metadata: ["enrolment": "\(id)", "error": "\(error)"])
        }
    }
}
