import Logging
import Metrics
import Postgres

/// The queue is full, or a failed batch has reached its time limit. The server rejects the record with 503, so that
/// memory use and waiting time stay bounded.
package struct IngestOverload: Error {}

/// Upper bounds of a batching queue.
struct BatchLimits: Sendable {
    /// The maximum number of items in one batch.
    var batchItems = 200
    /// The number of bytes from which no further item joins a batch.
    var batchBytes = 16 * 1024 * 1024
    /// The maximum number of items that wait for a batch.
    var waitingItems = 5_000
    /// The maximum number of bytes that wait for a batch. If the queue is empty, it accepts a larger item.
    var waitingBytes = 64 * 1024 * 1024
    /// The maximum number of batches at the same time: one commits while the next one is being written.
    var concurrentBatches = 2
    /// The number of waiting items from which a second batch starts while the first one runs. With fewer items the
    /// queue waits, so that more items share the cost of the next batch. They wait no longer than one commit.
    var secondBatchItems = 1
}

/// Groups concurrent submissions into one transaction, so that many items share one flush to disk.
///
/// While a batch commits, the queue collects new items; they form the next batch. There is no timer: if no batch runs,
/// a single item is written at once. A caller gets its outcome after its item is committed. If a batch fails because of
/// one item, the queue splits the batch into halves until the item is alone.
package actor BatchingQueue<Item: Sendable, Outcome: Sendable> {
    private struct Entry {
        var item: Item
        var bytes: Int
        var continuation: CheckedContinuation<Outcome, any Error>
    }

    /// Functions that the queue applies to its items.
    struct Rules: Sendable {
        /// The lane of an item. Lanes are served round-robin.
        var lane: @Sendable (Item) -> String
        /// An estimate of the memory that an item occupies while it waits, in bytes.
        var bytes: @Sendable (Item) -> Int
    }

    private let write: @Sendable ([Item]) async throws -> [Outcome]
    private let pause: @Sendable (_ attempt: Int) async throws -> Void
    private let rules: Rules
    private let limits: BatchLimits
    private let logger: Logger
    private var waiting = RoundRobinLanes<Entry>()
    private var waitingBytes = 0
    private var batches = 0
    private let sizes: Recorder
    private let depth: Gauge

    /// - Parameters:
    ///   - name: the kind of items, in the plural, for metrics and the log.
    ///   - pause: waits before a retry. Its argument is 2 for the first retry.
    ///   - write: writes and commits the items. Returns one outcome per item, in order.
    init(
        _ name: String, limits: BatchLimits = BatchLimits(), rules: Rules, logger: Logger,
        pause: @escaping @Sendable (_ attempt: Int) async throws -> Void,
        write: @escaping @Sendable ([Item]) async throws -> [Outcome]
    ) {
        self.limits = limits
        self.rules = rules
        self.logger = logger
        self.pause = pause
        self.write = write
        sizes = Recorder(label: "saunter_ingest_batch_\(name)", dimensions: [], aggregate: true)
        depth = Gauge(label: "saunter_ingest_queue_\(name)")
    }

    /// The number of items that wait for a batch.
    var waitingCount: Int { waiting.count }

    /// Returns after the commit of the item.
    /// - Throws: `IngestOverload`, or the error when this item alone cannot be written.
    func submit(_ item: Item) async throws -> Outcome {
        let bytes = rules.bytes(item)
        guard waiting.count < limits.waitingItems,
            waiting.isEmpty || waitingBytes + bytes <= limits.waitingBytes
        else { throw IngestOverload() }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(Entry(item: item, bytes: bytes, continuation: continuation), to: rules.lane(item))
            waitingBytes += bytes
            startBatch()
        }
    }

    private func startBatch() {
        defer { depth.record(waiting.count) }
        guard batches < limits.concurrentBatches,
            waiting.count >= (batches == 0 ? 1 : limits.secondBatchItems)
        else { return }
        var bytes = 0
        let entries = waiting.take(limits.batchItems) { entry in
            bytes += entry.bytes
            return bytes >= limits.batchBytes
        }
        waitingBytes -= bytes
        batches += 1
        // An unstructured task: if one caller is cancelled, the commit of the other items must go on.
        Task {
            await commit(entries)
            batches -= 1
            startBatch()
        }
    }

    private func commit(_ entries: [Entry]) async {
        sizes.record(entries.count)
        do {
            Self.resume(entries[...], with: try await writeRetrying(entries[...]))
        } catch {
            guard entries.count > 1, !Self.isOutage(error) else {
                return Self.resume(entries[...], throwing: error)
            }
            logger.warning("a batch failed and is split into halves", metadata: ["items": "\(entries.count)"])
            await splitAndWrite(entries[...], startedAt: .now)
        }
    }

    /// Finds the faulty item in few steps, so that the other items of the batch are stored. No item causes an outage,
    /// so an outage ends the attempt for all remaining items.
    /// - Returns: the error that ends the attempt, so that the following items fail with it too; nil if the queue must
    ///   write them.
    @discardableResult
    private func splitAndWrite(_ entries: ArraySlice<Entry>, startedAt: ContinuousClock.Instant) async -> (
        any Error
    )? {
        let middle = (entries.startIndex + entries.endIndex) / 2
        var stop: (any Error)?
        for half in [entries[..<middle], entries[middle...]] {
            // After the time limit the remaining items fail, and their clients send them again. If each item waited for
            // its own time-out, the queue would stop for all.
            if stop == nil, startedAt.duration(to: .now) >= BatchRetryPolicy.limit { stop = IngestOverload() }
            if let stop {
                Self.resume(half, throwing: stop)
            } else {
                stop = await writeHalf(half, startedAt: startedAt)
            }
        }
        return stop
    }

    private func writeHalf(
        _ half: ArraySlice<Entry>, startedAt: ContinuousClock.Instant
    ) async -> (any Error)? {
        do {
            Self.resume(half, with: try await writeRetrying(half))
            return nil
        } catch  where Self.isOutage(error) {
            Self.resume(half, throwing: error)
            return error
        } catch  where half.count == 1 {
            Self.resume(half, throwing: error)
            return nil
        } catch {
            return await splitAndWrite(half, startedAt: startedAt)
        }
    }

    /// Writes the items and repeats the attempt if that is safe: after a rollback because of another transaction, and
    /// after a commit with an unknown result. Writing is idempotent, so the same items are stored once.
    private func writeRetrying(_ entries: ArraySlice<Entry>) async throws -> [Outcome] {
        let items = entries.map(\.item)
        let startedAt = ContinuousClock.now
        var attempt = 1
        while true {
            do {
                let outcomes = try await write(items)
                guard outcomes.count == items.count else { throw OutcomeCountError() }
                return outcomes
            } catch let error as DatabaseError
                where attempt < BatchRetryPolicy.attempts && error.isRetryable(idempotent: true)
                && startedAt.duration(to: .now) < BatchRetryPolicy.limit
            {
                attempt += 1
                try await pause(attempt)
            }
        }
    }

    private static func resume(_ entries: ArraySlice<Entry>, with outcomes: [Outcome]) {
        for (entry, outcome) in zip(entries, outcomes) { entry.continuation.resume(returning: outcome) }
    }

    private static func resume(_ entries: ArraySlice<Entry>, throwing error: any Error) {
        for entry in entries { entry.continuation.resume(throwing: error) }
    }

    private static func isOutage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isOutage ?? false
    }
}

/// The writer did not return one outcome per item. No caller gets an outcome in this case.
struct OutcomeCountError: Error {}

/// How often and how long the queue tries to write a batch.
enum BatchRetryPolicy {
    static let attempts = 5
    /// If the first attempt began longer ago than this, the queue does not retry, because the clients have given up by
    /// then.
    static let limit = Duration.seconds(10)

    /// Waits 20 ms × 2^attempt. The attempt is 2 for the first retry.
    static let backOff: @Sendable (Int) async throws -> Void = { attempt in
        try await Task.sleep(for: .milliseconds(20 << attempt))
    }
}
