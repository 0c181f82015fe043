import Logging
import Metrics
import Postgres

/// The queue is full: the server sheds load rather than grow.
package struct IngestOverload: Error {}

/// What a queue may hold and do at once.
struct GatheringBounds: Sendable {
    /// Items of one batch.
    var batch = 200
    /// Bytes of one batch, beyond which no further item joins it.
    var batchBytes = 16 * 1024 * 1024
    /// Items that no batch has taken yet.
    var waiting = 5_000
    /// Their bytes. A single item larger than this is let in alone.
    var waitingBytes = 64 * 1024 * 1024
    /// Batches under way at once: one commits while the next is being written.
    var batches = 2
    /// Items that must wait for another batch to begin beside one that is under way. With fewer they come in the next: what a batch costs is
    /// shared by more then, and the wait is no longer than one commit.
    var another = 1
}

/// Gathers the items that arrive while a transaction commits and has them written in the next one, so that one flush to disk serves many. There is
/// no timer: a lone item never waits. Nothing is acknowledged before its own commit. A batch that fails for one item's fault is halved until
/// that item is alone.
package actor GatheringQueue<Item: Sendable, Outcome: Sendable> {
    private struct Entry {
        var item: Item
        var bytes: Int
        var done: CheckedContinuation<Outcome, any Error>
    }

    /// How the queue treats its items.
    struct Rules: Sendable {
        /// Items of one lane take turns with those of the others.
        var lane: @Sendable (Item) -> String
        /// About how many bytes it keeps while it waits.
        var bytes: @Sendable (Item) -> Int
        /// Lost against somebody who has committed by now: worth another try at once.
        var isRace: @Sendable (any Error) -> Bool = { _ in false }
        /// What an error means for an item that was written alone; nil where it is the caller's to know.
        var meaning: @Sendable (any Error) -> Outcome? = { _ in nil }
    }

    private let write: @Sendable ([Item]) async throws -> [Outcome]
    private let pause: @Sendable (_ attempt: Int) async throws -> Void
    private let rules: Rules
    private let bounds: GatheringBounds
    private let logger: Logger
    private var waiting = FairLanes<Entry>()
    private var waitingBytes = 0
    private var batches = 0
    private let sizes: Recorder
    private let depth: Gauge

    /// - Parameters:
    ///   - name: of what is gathered, in the plural, for metrics and the log.
    ///   - pause: waits before an attempt; the second is 2.
    ///   - write: one outcome per item, in order, after their commit.
    init(
        _ name: String, bounds: GatheringBounds = GatheringBounds(), rules: Rules, logger: Logger,
        pause: @escaping @Sendable (_ attempt: Int) async throws -> Void,
        write: @escaping @Sendable ([Item]) async throws -> [Outcome]
    ) {
        self.bounds = bounds
        self.rules = rules
        self.logger = logger
        self.pause = pause
        self.write = write
        sizes = Recorder(label: "saunter_ingest_batch_\(name)", dimensions: [], aggregate: true)
        depth = Gauge(label: "saunter_ingest_queue_\(name)")
    }

    /// Items that no batch has taken yet.
    var waitingCount: Int { waiting.count }

    /// Returns after the commit that holds the item.
    /// - Throws: `IngestOverload`, or the error when this item alone cannot be written.
    func submit(_ item: Item) async throws -> Outcome {
        let bytes = rules.bytes(item)
        guard waiting.count < bounds.waiting, waiting.isEmpty || waitingBytes + bytes <= bounds.waitingBytes
        else { throw IngestOverload() }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(Entry(item: item, bytes: bytes, done: continuation), to: rules.lane(item))
            waitingBytes += bytes
            startBatch()
        }
    }

    private func startBatch() {
        defer { depth.record(waiting.count) }
        guard batches < bounds.batches, waiting.count >= (batches == 0 ? 1 : bounds.another) else { return }
        var bytes = 0
        let entries = waiting.take(bounds.batch) { entry in
            bytes += entry.bytes
            return bytes >= bounds.batchBytes
        }
        waitingBytes -= bytes
        batches += 1
        // Unstructured on purpose: a caller that is cancelled must not take the others' commit with it.
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
            logger.warning("a batch failed; it is halved", metadata: ["items": "\(entries.count)"])
            await halve(entries[...], startedAt: .now)
        }
    }

    /// So that nobody pays for another's fault, in few steps. An outage is nobody's: it ends the attempt for all that are left.
    /// - Returns: what everybody after these has to be told too; nil when they are to be tried.
    @discardableResult
    private func halve(_ entries: ArraySlice<Entry>, startedAt: ContinuousClock.Instant) async -> (any Error)?
    {
        let middle = (entries.startIndex + entries.endIndex) / 2
        var end: (any Error)?
        for half in [entries[..<middle], entries[middle...]] {
            // Whoever is left sends again: while each waits for its own time-out, nobody else's items would be written.
            if end == nil, startedAt.duration(to: .now) >= GatheringPatience.limit { end = IngestOverload() }
            if let end {
                Self.resume(half, throwing: end)
            } else {
                end = await tryHalf(half, startedAt: startedAt)
            }
        }
        return end
    }

    private func tryHalf(
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
            return await halve(half, startedAt: startedAt)
        }
    }

    /// Runs again what may be run again: a transaction that was rolled back for another's sake, one that raced, and one whose commit is unknown,
    /// because the same items written twice are stored once.
    private func writeRetrying(_ entries: ArraySlice<Entry>) async throws -> [Outcome] {
        let items = entries.map(\.item)
        let startedAt = ContinuousClock.now
        var attempt = 1
        while true {
            do {
                let outcomes = try await write(items)
                guard outcomes.count == items.count else { throw OutcomeCountFault() }
                return outcomes
            } catch  where attempt < GatheringPatience.attempts && rules.isRace(error) {
                // Whoever won has committed: the next look sees it.
                attempt += 1
            } catch let error as DatabaseError
                where attempt < GatheringPatience.attempts && error.isWorthRepeating(repeatable: true)
                && startedAt.duration(to: .now) < GatheringPatience.limit
            {
                attempt += 1
                try await pause(attempt)
            } catch  where items.count == 1 {
                guard let outcome = rules.meaning(error) else { throw error }
                return [outcome]
            }
        }
    }

    private static func resume(_ entries: ArraySlice<Entry>, with outcomes: [Outcome]) {
        for (entry, outcome) in zip(entries, outcomes) { entry.done.resume(returning: outcome) }
    }

    private static func resume(_ entries: ArraySlice<Entry>, throwing error: any Error) {
        for entry in entries { entry.done.resume(throwing: error) }
    }

    private static func isOutage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isOutage ?? false
    }
}

/// A writer that did not say of each item what became of it: nobody is told anything then.
struct OutcomeCountFault: Error {}

/// How long a batch is tried.
enum GatheringPatience {
    static let attempts = 5
    /// No new attempt begins later than this after the first: whoever waits has given up by then.
    static let limit = Duration.seconds(10)

    static let backOff: @Sendable (Int) async throws -> Void = { attempt in
        try await Task.sleep(for: .milliseconds(20 << attempt))
    }
}
