import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// Runs the step until nothing waits, rests, and begins again; beside it extends the plans that are running out, and once an hour throws
/// away what has had its day. A fault of one participant or of the mail server never ends the loop.
package struct ReminderLoop: Service {
    static let restSeconds = 20
    /// Somebody waits for a code in front of a screen.
    static let codeRestSeconds = 2
    /// So many messages are on their way at once: one server that answers late must not hold up what goes elsewhere.
    package static let usualWorkers = 4
    static let planDaysAhead = 7
    private static let tidyEverySeconds = 3600
    private static let mostFaults = 5

    /// Nil where nothing can be sent: then reminders wait, and plans are extended all the same.
    let step: ReminderStep?
    let store: Store
    let catalogue: StudyCatalogue
    let now: @Sendable () -> Instant
    let logger: Logger
    let workers: Int

    /// - Parameter workers: how many messages may be on their way at once.
    package init(
        step: ReminderStep?, store: Store, catalogue: StudyCatalogue, now: @escaping @Sendable () -> Instant,
        workers: Int = 1, logger: Logger
    ) {
        self.workers = workers
        self.step = step
        self.store = store
        self.catalogue = catalogue
        self.now = now
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            // A mail server that answers nobody must not keep plans from growing.
            async let mails: Void = repeatedly {
                await drain()
                return Self.restSeconds
            }
            async let codes: Void = repeatedly {
                await sendCodes().faults == 0 ? Self.codeRestSeconds : Self.restSeconds
            }
            async let plans: Void = repeatedly {
                await extendPlans()
                return Self.restSeconds
            }
            async let rest: Void = repeatedly {
                await tidy()
                return Self.tidyEverySeconds
            }
            _ = await (mails, codes, plans, rest)
        }
    }

    /// - Parameter work: gives the seconds to rest after it.
    private func repeatedly(_ work: () async -> Int) async {
        while !Task.isCancelled {
            let seconds = await work()
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
        }
    }

    /// Deletes logins, codes and sent mails whose time is over.
    func tidy() async {
        do {
            try await store.tidyIdentity(now: now())
        } catch {
            logger.error("old logins could not be deleted", metadata: ["error": "\(error)"])
        }
    }

    /// Everything that waits at this moment, but for mails while their server is at fault: those who are reached otherwise do not wait for it.
    /// - Returns: how often each result came, and how many steps failed.
    @discardableResult
    package func drain() async -> (results: [ReminderStep.Result: Int], faults: Int) {
        guard let step else { return ([:], 0) }
        var faults = 0
        do {
            try await step.settle(now: now())
        } catch {
            faults += 1
            logger.error("abandoned reminders could not be settled", metadata: ["error": "\(error)"])
        }
        return await withTaskGroup { [faults] group in
            for _ in 0..<max(1, workers) {
                group.addTask {
                    await repeated(until: Self.mostFaults, after: faults) { try await step.run(now: $0) }
                }
            }
            var sum: (results: [ReminderStep.Result: Int], faults: Int) = ([:], faults)
            for await (results, found) in group {
                sum.results.merge(results, uniquingKeysWith: +)
                sum.faults += found - faults
            }
            return sum
        }
    }

    /// Every code that somebody asked for by now.
    @discardableResult
    func sendCodes() async -> (results: [ReminderStep.Result: Int], faults: Int) {
        guard let step else { return ([:], 0) }
        return await repeated(until: 1) { try await step.sendMail(now: $0) }
    }

    private func repeated(
        until mostFaults: Int, after faults: Int = 0,
        _ unit: @escaping @Sendable (Instant) async throws -> ReminderStep.Result
    ) async -> (results: [ReminderStep.Result: Int], faults: Int) {
        var counts: [ReminderStep.Result: Int] = [:]
        var faults = faults
        while !Task.isCancelled, faults < mostFaults {
            // Not this task's child: whoever is told to stop has sent and recorded what it claimed before it does.
            let work = Task { [now] in try await unit(now()) }
            do {
                let result = try await work.value
                if result == .idle { break }
                counts[result, default: 0] += 1
            } catch {
                faults += 1
                logger.error("a reminder step failed", metadata: ["error": "\(error)"])
            }
        }
        return (counts, faults)
    }

    /// Active enrolments whose plan ends within a week get their next fortnight. One that cannot be planned is left behind, so that the others are
    /// reached.
    /// - Returns: how many are without a plan all the same; 500 and more are counted as 500.
    @discardableResult
    package func extendPlans() async -> Int {
        let horizon = Zone.utc.local(of: now()).date.adding(days: Self.planDaysAhead)
        var place: PlanPlace?
        while !Task.isCancelled {
            do {
                let page = try await store.listEnrolments(plannedBefore: horizon, after: place, limit: 500)
                for next in page { await extend(next.enrolment) }
                guard page.count == 500 else { break }
                place = page.last
            } catch  where Task.isCancelled {
                return 0
            } catch {
                logger.error("plans could not be extended", metadata: ["error": "\(error)"])
                return 0
            }
        }
        return await lookForGaps()
    }

    /// Nobody who is enrolled may be without a plan: whoever still is after all plans were extended, two days
    /// being what the zones differ by, would silently get no prompt any more.
    private func lookForGaps() async -> Int {
        let yesterday = Zone.utc.local(of: now()).date.adding(days: -1)
        do {
            let left = try await store.listEnrolments(plannedBefore: yesterday, limit: 500)
            guard let first = left.first else { return 0 }
            logger.error(
                "active enrolments are without a plan",
                metadata: [
                    "enrolments": "\(left.count)", "first": "\(first.enrolment)",
                    "planned_through": "\(first.plannedThrough)",
                ])
            return left.count
        } catch  where Task.isCancelled {
            return 0
        } catch {
            logger.error("plans could not be looked through for gaps", metadata: ["error": "\(error)"])
            return 0
        }
    }

    private func extend(_ id: EnrolmentID) async {
        do {
            guard let enrolment = try await store.findEnrolment(id),
                let published = try await catalogue.find(enrolment.study, version: enrolment.studyVersion)
            else { return }
            try await store.extendHorizon(id, study: published.study, now: now())
        } catch  where Task.isCancelled {
            // The next start goes on here.
        } catch {
            logger.error(
                "a plan could not be extended", metadata: ["enrolment": "\(id)", "error": "\(error)"])
        }
    }
}
