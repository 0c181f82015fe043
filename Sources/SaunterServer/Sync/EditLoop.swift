import Logging
import SaunterCore
import SaunterStore
import ServiceLifecycle

/// Applies due edits in the background. It finds edits whose records were submitted singly, because a single submission
/// does not look for waiting edits, and edits of requests after which the server stopped.
struct EditLoop: Service, CustomStringConvertible {
    /// The name in logs.
    var description: String { "EditLoop" }

    private static let minimumPause = Duration.seconds(3)
    /// A participant who has deleted a record waits at most this long after a slow pass.
    private static let maximumPause = Duration.seconds(12)
    private static let pageSize = 100

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
                    logger.error("edits cannot be applied", metadata: ["error": "\(error)"])
                }
                // The loop is rarely busy for more than a tenth of the time, regardless of how many edits wait.
                let pause = min(Self.maximumPause, max(Self.minimumPause, startedAt.duration(to: .now) * 9))
                do { try await Task.sleep(for: pause) } catch { return }
            }
        }
    }

    private func applyAll() async throws {
        var last: EnrolmentID?
        while true {
            let page = try await context.store.listEnrolmentsWithDueEdits(
                after: last, limit: Self.pageSize)
            for id in page {
                guard let enrolment = try await context.store.findEnrolment(id) else { continue }
                let service = EditService(
                    context: context, actor: .system, requestID: nil, now: now(), logger: logger)
                try await service.applyDue(of: enrolment)
            }
            guard page.count == Self.pageSize, let end = page.last else { return }
            last = end
        }
    }
}
