import Logging
import Metrics
import Postgres
import SaunterCore

/// The queue is full: the server sheds load rather than grow.
package struct IngestOverload: Error {}

/// Gathers the sheets that arrive while a transaction commits and writes them in the next one, so that one flush to disk serves many
/// participants. There is no timer: a lone sheet never waits. Nothing is acknowledged before its own commit.
package actor IngestQueue {
    private struct Entry {
        var submission: SheetSubmission
        var done: CheckedContinuation<SheetReceipt, any Error>
    }

    private static let maximumBatch = 200
    private static let maximumWaiting = 5_000
    /// Batches under way at once: one commits while the next is being written.
    private static let maximumBatches = 2
    private static let attempts = 5
    /// No new attempt begins later than this after the first: whoever waits has given up by then.
    private static let patience = Duration.seconds(10)

    private let write: @Sendable ([SheetSubmission]) async throws -> [SheetReceipt]
    private let pause: @Sendable (_ attempt: Int) async throws -> Void
    private let logger: Logger
    private var waiting: [Entry] = []
    private var batches = 0
    private let batchSizes = Recorder(label: "saunter_ingest_batch_sheets", dimensions: [], aggregate: true)
    private let depth = Gauge(label: "saunter_ingest_queue_sheets")

    package init(store: Store, logger: Logger) {
        self.init(logger: logger) { try await store.submit($0) }
    }

    /// For tests: any writer with the store's contract, and any wait before an attempt (the second is 2).
    init(
        logger: Logger, pause: @escaping @Sendable (_ attempt: Int) async throws -> Void = backOff,
        write: @escaping @Sendable ([SheetSubmission]) async throws -> [SheetReceipt]
    ) {
        self.write = write
        self.pause = pause
        self.logger = logger
    }

    /// Sheets that no batch has taken yet.
    var waitingCount: Int { waiting.count }

    private static let backOff: @Sendable (Int) async throws -> Void = { attempt in
        try await Task.sleep(for: .milliseconds(20 << attempt))
    }

    /// Returns after the commit that holds the sheet.
    /// - Throws: `IngestOverload`, or the database's error when this sheet alone cannot be written.
    package func submit(_ submission: SheetSubmission) async throws -> SheetReceipt {
        guard waiting.count < Self.maximumWaiting else { throw IngestOverload() }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(Entry(submission: submission, done: continuation))
            depth.record(waiting.count)
            startBatch()
        }
    }

    private func startBatch() {
        guard batches < Self.maximumBatches, !waiting.isEmpty else { return }
        let entries = Array(waiting.prefix(Self.maximumBatch))
        waiting.removeFirst(entries.count)
        depth.record(waiting.count)
        batches += 1
        // Unstructured on purpose: a caller that is cancelled must not take the others' commit with it.
        Task {
            await commit(entries)
            batches -= 1
            startBatch()
        }
    }

    private func commit(_ entries: [Entry]) async {
        batchSizes.record(entries.count)
        do {
            Self.resume(entries[...], with: try await writeRetrying(entries.map(\.submission)))
        } catch  where entries.count == 1 || Self.isOutage(error) {
            Self.resume(entries[...], throwing: error)
        } catch {
            logger.warning(
                "a batch of sheets failed; writing them one by one", metadata: ["sheets": "\(entries.count)"])
            await commitSingly(entries)
        }
    }

    /// So that no participant pays for another's fault. An outage is nobody's: it ends the attempt for all that are left.
    private func commitSingly(_ entries: [Entry]) async {
        let startedAt = ContinuousClock.now
        for place in entries.indices {
            // Whoever is left sends again: while each waits for its own time-out, nobody else's sheets would be written.
            guard startedAt.duration(to: .now) < Self.patience else {
                Self.resume(entries[place...], throwing: IngestOverload())
                return
            }
            do {
                Self.resume(
                    entries[place...place], with: try await writeRetrying([entries[place].submission]))
            } catch  where Self.isOutage(error) {
                Self.resume(entries[place...], throwing: error)
                return
            } catch {
                Self.resume(entries[place...place], throwing: error)
            }
        }
    }

    private static func resume(_ entries: ArraySlice<Entry>, with receipts: [SheetReceipt]) {
        for (entry, receipt) in zip(entries, receipts) { entry.done.resume(returning: receipt) }
    }

    private static func resume(_ entries: ArraySlice<Entry>, throwing error: any Error) {
        for entry in entries { entry.done.resume(throwing: error) }
    }

    private static func isOutage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isOutage ?? false
    }

    /// Runs again what may be run again: a transaction that was rolled back for another's sake, one that raced, and one whose commit is unknown,
    /// because the same sheets written twice are stored once.
    private func writeRetrying(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        let startedAt = ContinuousClock.now
        var attempt = 1
        while true {
            do {
                return try await write(submissions)
            } catch is SheetRace where attempt < Self.attempts {
                // Whoever won has committed: the next look sees it.
                attempt += 1
            } catch let error as DatabaseError
                where attempt < Self.attempts && error.isWorthRepeating(repeatable: true)
                && startedAt.duration(to: .now) < Self.patience
            {
                attempt += 1
                try await pause(attempt)
            } catch SQLState.foreignKeyViolation where submissions.count == 1 {
                return [.gone]
            }
        }
    }
}
