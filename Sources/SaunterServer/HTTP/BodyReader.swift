import Hummingbird
import NIOCore
import SaunterCore
import Synchronization

/// How long a body may take to arrive.
package struct BodyPace: Sendable {
    /// Every body has this long …
    package var patience: Duration
    /// … and a second more for every so many bytes that have arrived, so that a walk of megabytes gets through a poor connection while one
    /// byte now and then does not hold a connection for hours.
    package var bytesPerExtraSecond: Int

    package init(patience: Duration = .seconds(30), bytesPerExtraSecond: Int = 16 * 1024) {
        self.patience = patience
        self.bytesPerExtraSecond = max(1, bytesPerExtraSecond)
    }

    func allowance(afterBytes count: Int) -> Duration {
        patience + .milliseconds(count / max(1, bytesPerExtraSecond / 1000))
    }
}

/// Reads request bodies within bounds of size and time.
struct BodyReader: Sendable {
    let pace: BodyPace

    /// The whole body. Throws `body-too-large` beyond the limit, as soon as it is known, `request-timeout`, and `busy` where its place cannot grow.
    func read(
        _ body: RequestBody, announced: Int?, limit: Int, _ pass: Admission.Pass
    ) async throws -> [UInt8] {
        if let announced, announced > limit { throw Self.tooLarge(limit) }
        return try await watched { arrived in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(min(announced ?? 0, 64 * 1024))
            do {
                for try await buffer in body {
                    guard bytes.count + buffer.readableBytes <= limit else { throw Self.tooLarge(limit) }
                    try pass.cover(bytes: bytes.count + buffer.readableBytes)
                    bytes.append(contentsOf: buffer.readableBytesView)
                    arrived.store(bytes.count, ordering: .relaxed)
                }
            } catch let error where !(error is Problem || error is CancellationError) {
                // A broken chunk, an unknown coding, a connection that ended: nothing that went wrong here.
                throw Problem(.bodyUnreadable, "The body does not arrive as HTTP says.")
            }
            // Reading ends quietly when the task is cancelled: what has come until then is not the body.
            try Task.checkCancellation()
            if let announced, bytes.count != announced {
                throw Problem(.bodyUnreadable, "The body is cut short.")
            }
            return bytes
        }
    }

    /// Reads what is left of a body that nobody wants, so that the connection can be used again. False when it is too long for that.
    func discard(_ body: RequestBody, limit: Int = 256 * 1024, patience: Duration = .seconds(2)) async -> Bool
    {
        let reader = BodyReader(pace: BodyPace(patience: patience, bytesPerExtraSecond: limit))
        do {
            return try await reader.watched { _ in
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

    static func tooLarge(_ limit: Int) -> Problem {
        var problem = Problem(.bodyTooLarge, "At most \(limit) bytes are taken.")
        problem.members["limit_bytes"] = .int(limit)
        return problem
    }

    /// Does the work until it is done, or until the time that its progress earns is over.
    private func watched<Value: Sendable>(
        _ work: @Sendable @escaping (_ arrived: borrowing Atomic<Int>) async throws -> Value
    ) async throws -> Value {
        let arrived = ArrivedBytes()
        let task = Task { try await work(arrived.count) }
        let reading = BodyWatch.shared.begin(pace, arrived) { task.cancel() }
        defer { BodyWatch.shared.end(reading) }
        return try await withTaskCancellationHandler {
            do {
                return try await task.value
            } catch is CancellationError where arrived.isLate.load(ordering: .relaxed) {
                throw Problem(.requestTimeout, "The body did not arrive in time.")
            }
        } onCancel: {
            task.cancel()
        }
    }
}
