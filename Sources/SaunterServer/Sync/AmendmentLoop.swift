import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// Applies amendments whose things came by another way than an outbox, beside the requests: handing in a single sheet looks for none. What a server that
/// died left half done is brought to its end, too.
struct AmendmentLoop: Service {
    private static let rest = Duration.seconds(3)
    private static let atOnce = 100

    let context: ServerContext
    let now: @Sendable () -> Instant
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let startedAt = ContinuousClock.now
                do {
                    try await applyAll()
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("amendments are stuck", metadata: ["error": "\(error)"])
                }
                // Looking never takes more than a tenth of the time, however much waits for what never comes.
                let rest = max(Self.rest, startedAt.duration(to: .now) * 9)
                do { try await Task.sleep(for: rest) } catch { return }
            }
        }
    }

    private func applyAll() async throws {
        var last: EnrolmentID?
        while true {
            let page = try await context.store.listEnrolmentsWithDueAmendments(
                after: last, limit: Self.atOnce)
            for id in page {
                guard let enrolment = try await context.store.findEnrolment(id) else { continue }
                let desk = AmendmentDesk(
                    context: context, actor: .system, requestID: nil, now: now(), logger: logger)
                try await desk.applyDue(of: enrolment)
            }
            guard page.count == Self.atOnce, let end = page.last else { return }
            last = end
        }
    }
}
