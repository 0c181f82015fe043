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

    private let write: @Sendable ([SheetSubmission]) async throws -> [SheetReceipt]
    private let logger: Logger
    private var waiting: [Entry] = []
    private var batches = 0
    private let batchSizes = Recorder(label: "saunter_ingest_batch_sheets", dimensions: [], aggregate: true)
    private let depth = Gauge(label: "saunter_ingest_queue_sheets")

    package init(store: Store, logger: Logger) {
        self.init(logger: logger) { try await store.submit($0) }
    }

    /// For tests: any writer with the store's contract.
    init(
        logger: Logger, write: @escaping @Sendable ([SheetSubmission]) async throws -> [SheetReceipt]
    ) {
        self.write = write
        self.logger = logger
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
            let receipts = try await writeWithRetry(entries.map(\.submission))
            for (entry, receipt) in zip(entries, receipts) { entry.done.resume(returning: receipt) }
        } catch {
            guard entries.count > 1 else {
                entries.first?.done.resume(throwing: error)
                return
            }
            logger.warning("a batch of sheets failed; writing them one by one", metadata: ["sheets": "\(entries.count)"])
            for entry in entries { await commit([entry]) }
        }
    }

    /// Runs again what may be run again: a transaction that was rolled back for another's sake, one that raced, and one whose commit is unknown,
    /// because the same sheets written twice are stored once.
    private func writeWithRetry(_ submissions: [SheetSubmission]) async throws -> [SheetReceipt] {
        var attempt = 1
        while true {
            do {
                return try await write(submissions)
            } catch is SheetRace where attempt < Self.attempts {
                attempt += 1
            } catch let error as DatabaseError where attempt < Self.attempts && error.isTransient {
                attempt += 1
                try await Task.sleep(for: .milliseconds(20 << attempt))
            } catch SQLState.foreignKeyViolation where submissions.count == 1 {
                return [.gone]
            }
        }
    }
}
