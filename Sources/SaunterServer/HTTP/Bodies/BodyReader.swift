import Hummingbird
import NIOCore
import SaunterCore
import Synchronization

/// How long a request body may take to arrive.
package struct BodyTimeout: Sendable {
    /// The time for every body.
    package var base: Duration
    /// The timeout grows by one second for each group of this many bytes that has arrived. So a walk of several
    /// megabytes can arrive over a slow connection, but a client that sends single bytes at long intervals cannot
    /// keep its connection for hours.
    package let bytesPerExtraSecond: Int

    /// Creates a timeout; by default 30 seconds, and one more for each 16 KiB.
    package init(base: Duration = .seconds(30), bytesPerExtraSecond: Int = 16 * 1024) {
        self.base = base
        self.bytesPerExtraSecond = max(1, bytesPerExtraSecond)
    }

    /// The time from the start of the body, when `count` bytes have arrived.
    func duration(afterBytes count: Int) -> Duration {
        base + .milliseconds(count * 1000 / bytesPerExtraSecond)
    }
}

/// Reads request bodies within limits of size and time.
struct BodyReader: Sendable {
    let timeout: BodyTimeout

    /// Reads the complete body.
    /// - Parameters:
    ///   - announced: the value of `Content-Length`, if there is one.
    ///   - limit: the maximum number of bytes.
    ///   - permit: grows with the bytes that have arrived.
    /// - Throws: `body-too-large` as soon as the limit is exceeded, `request-timeout`, `body-unreadable`, and `busy` if
    ///   the permit cannot grow.
    func read(
        _ body: RequestBody, announced: Int?, limit: Int, _ permit: LoadShedder.Permit
    ) async throws -> [UInt8] {
        if let announced, announced > limit { throw Self.tooLarge(limit) }
        return try await withTimeout { progress in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(min(announced ?? 0, 64 * 1024))
            do {
                for try await buffer in body {
                    guard bytes.count + buffer.readableBytes <= limit else { throw Self.tooLarge(limit) }
                    try permit.grow(toBytes: bytes.count + buffer.readableBytes)
                    bytes.append(contentsOf: buffer.readableBytesView)
                    progress.store(bytes.count, ordering: .relaxed)
                }
            } catch let error where !(error is Problem || error is CancellationError) {
                // A malformed chunk, an unknown transfer coding or a closed connection: a fault of the client or the
                // network.
                throw Problem(.bodyUnreadable, "The body is not correct HTTP, or the connection was closed.")
            }
            // When the task is cancelled, the loop ends without an error. The bytes are then incomplete.
            try Task.checkCancellation()
            if let announced, bytes.count != announced {
                throw Problem(.bodyUnreadable, "The body is shorter than its Content-Length.")
            }
            return bytes
        }
    }

    /// Reads and discards the rest of a body, so that the connection can be used again.
    /// - Returns: false if the rest is longer than `limit`, or does not arrive within `timeout`.
    func discard(_ body: RequestBody, limit: Int = 256 * 1024, timeout: Duration = .seconds(2)) async -> Bool
    {
        let reader = BodyReader(timeout: BodyTimeout(base: timeout, bytesPerExtraSecond: limit))
        do {
            return try await reader.withTimeout { _ in
                var count = 0
                for try await buffer in body {
                    count += buffer.readableBytes
                    if count > limit { return false }
                }
                return !Task.isCancelled
            }
        } catch {
            return false
        }
    }

    /// The error for a body above a limit (413). Its document has the member `limit_bytes`.
    static func tooLarge(_ limit: Int) -> Problem {
        var problem = Problem(.bodyTooLarge, "The body may have at most \(limit) bytes.")
        problem.members["limit_bytes"] = .int(limit)
        return problem
    }

    /// The error for a body that arrives too slowly (408).
    static var tooSlow: Problem { Problem(.requestTimeout, "The body did not arrive in time.") }

    /// Runs `work` until it ends, or until the timeout. The timeout grows with the number of bytes that `work` stores
    /// in its parameter.
    private func withTimeout<Value: Sendable>(
        _ work: @Sendable @escaping (_ arrivedBytes: borrowing Atomic<Int>) async throws -> Value
    ) async throws -> Value {
        let progress = BodyProgress()
        let task = Task { try await work(progress.bytes) }
        let deadline = BodyDeadlines.shared.add(timeout, progress) { task.cancel() }
        defer { BodyDeadlines.shared.remove(deadline) }
        return try await withTaskCancellationHandler {
            do {
                return try await task.value
            } catch is CancellationError where progress.isLate.load(ordering: .relaxed) {
                throw Self.tooSlow
            }
        } onCancel: {
            task.cancel()
        }
    }
}
