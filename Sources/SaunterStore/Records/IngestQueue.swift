import Logging
import Postgres
import SaunterCore

/// Stores records that devices submit. Records of a kind that arrive at the same time share a transaction. Each kind
/// has its own queue, so that thousands of usage events delay no sheet. Studies are served round-robin.
package struct IngestQueue: Sendable {
    /// The queue of each kind, by its raw value.
    private let queues: [BatchingQueue<any Submission, StorageReceipt>]

    /// Creates queues that write to the store.
    package init(store: Store, logger: Logger) {
        self.init(logger: logger, secondBatchItems: 64) { try await store.submit($0) }
    }

    /// Tests pass their own writer and their own pause.
    /// - Parameters:
    ///   - secondBatchItems: number of waiting sheets from which a second batch starts while the first one runs.
    ///   - pause: waits before an attempt; the first retry is attempt 2.
    ///   - write: stores a batch in one transaction, and returns one receipt per record, in order.
    init(
        logger: Logger, secondBatchItems: Int = 1,
        pause: @escaping @Sendable (_ attempt: Int) async throws -> Void = BatchRetryPolicy.backOff,
        write: @escaping @Sendable ([any Submission]) async throws -> [StorageReceipt]
    ) {
        queues = SubmissionKind.allCases.map { kind in
            BatchingQueue(
                kind.plural, limits: kind.limits(secondBatchItems: secondBatchItems),
                rules: .init(lane: { $0.study }, bytes: { $0.body.estimatedMemory + $0.memory }),
                logger: logger, pause: pause, write: write)
        }
    }

    /// The number of records of a kind that wait for a batch.
    func waitingCount(_ kind: SubmissionKind) async -> Int { await queues[kind.rawValue].waitingCount }

    /// Whether any record waits for a batch.
    package var hasWaitingRecords: Bool {
        get async {
            for queue in queues where await queue.waitingCount > 0 { return true }
            return false
        }
    }

    /// Returns after the commit of the record and of everything that follows from it.
    /// - Throws: `IngestOverload`, `StudyVersionMismatch`, or the database error when this record alone cannot be
    ///   written.
    package func submit<Record: Submission>(_ record: Record) async throws -> StorageReceipt {
        try await queues[Record.kind.rawValue].submit(record)
    }
}

extension SubmissionKind {
    /// The name in metrics and in the log.
    fileprivate var plural: String {
        switch self {
        case .calibration: "calibrations"
        case .observation: "observations"
        case .usageEvent: "usage_events"
        case .walk: "walks"
        case .sheet: "sheets"
        case .edit: "amendments"
        }
    }

    fileprivate func limits(secondBatchItems: Int) -> BatchLimits {
        switch self {
        case .sheet: BatchLimits(secondBatchItems: secondBatchItems)
        // A record can have 100,000 samples.
        case .walk, .observation: BatchLimits(batchItems: 50)
        case .calibration, .usageEvent, .edit: BatchLimits()
        }
    }
}
