import Logging
import Postgres
import SaunterCore

/// Stores records that clients submit. Each kind of record has its own batching queue and its own transactions. Studies
/// are served round-robin.
package struct IngestQueue: Sendable {
    let sheets: BatchingQueue<SheetSubmission, SheetReceipt>
    let walks: BatchingQueue<QueuedWalk, StorageReceipt?>
    let calibrations: BatchingQueue<CalibrationSubmission, StorageReceipt?>
    let observations: BatchingQueue<ObservationSubmission, StorageReceipt?>
    let usageEvents: BatchingQueue<UsageEventSubmission, StorageReceipt?>
    let edits: BatchingQueue<EditSubmission, StorageReceipt?>

    /// Creates queues that write to the store.
    package init(store: Store, logger: Logger) {
        self.init(
            logger: logger, secondBatchItems: 64, writeWalks: { try await store.submit($0) },
            writeCalibrations: { try await store.submit($0) },
            writeObservations: { try await store.submit($0) },
            writeUsageEvents: { try await store.submit($0) },
            writeEdits: { try await store.submit($0) }
        ) { try await store.submit($0) }
    }

    /// Tests pass their own writers and their own pause.
    /// - Parameters:
    ///   - secondBatchItems: number of waiting sheets from which a second batch starts while the first one runs.
    ///   - pause: waits before an attempt; the first retry is attempt 2.
    ///   - writeWalks: stores a batch in one transaction, as the other writers do. A receipt is nil if the participant
    ///     was erased meanwhile.
    ///   - write: the writer of sheets.
    init(
        logger: Logger, secondBatchItems: Int = 1,
        pause: @escaping @Sendable (_ attempt: Int) async throws -> Void = BatchRetryPolicy.backOff,
        writeWalks: @escaping @Sendable ([QueuedWalk]) async throws -> [StorageReceipt?] = { _ in [] },
        writeCalibrations:
            @escaping @Sendable ([CalibrationSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        writeObservations:
            @escaping @Sendable ([ObservationSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        writeUsageEvents:
            @escaping @Sendable ([UsageEventSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        writeEdits:
            @escaping @Sendable ([EditSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        write: @escaping @Sendable ([SheetSubmission]) async throws -> [SheetReceipt]
    ) {
        // The added 1,024 and 256 bytes estimate the fields of a submission outside its body.
        sheets = BatchingQueue(
            "sheets", limits: BatchLimits(secondBatchItems: secondBatchItems),
            rules: .init(
                lane: { $0.study }, bytes: { $0.body.estimatedMemory + 1024 }),
            logger: logger, pause: pause, write: write)
        walks = BatchingQueue(
            "walks", limits: BatchLimits(batchItems: 50),
            rules: .init(
                lane: { $0.study.code },
                // A sample of five series occupies 40 bytes in memory.
                bytes: {
                    $0.submission.body.estimatedMemory + 40 * ($0.submission.walk.series?.tMs.count ?? 0)
                        + 1024
                }
            ),
            logger: logger, pause: pause, write: writeWalks)
        calibrations = BatchingQueue(
            "calibrations", rules: .init(lane: { $0.study }, bytes: { $0.body.estimatedMemory + 256 }),
            logger: logger,
            pause: pause, write: writeCalibrations)
        observations = BatchingQueue(
            "observations", limits: BatchLimits(batchItems: 50),
            rules: .init(
                lane: { $0.study },
                // A sample of one component occupies 20 bytes in memory.
                bytes: {
                    $0.body.estimatedMemory + 20 * $0.observation.tMs.count * $0.observation.components.count
                        + 1024
                }),
            logger: logger, pause: pause, write: writeObservations)
        usageEvents = BatchingQueue(
            "usage_events", rules: .init(lane: { $0.study }, bytes: { $0.body.estimatedMemory + 256 }),
            logger: logger,
            pause: pause, write: writeUsageEvents)
        edits = BatchingQueue(
            "amendments",
            rules: .init(lane: { $0.study }, bytes: { $0.edit.body.estimatedMemory + 256 }), logger: logger,
            pause: pause, write: writeEdits)
    }

    /// The number of sheets that wait for a batch.
    var waitingSheetCount: Int { get async { await sheets.waitingCount } }

    /// Whether any record waits for a batch.
    package var hasWaitingRecords: Bool {
        get async {
            if await sheets.waitingCount > 0 { return true }
            if await walks.waitingCount > 0 { return true }
            if await observations.waitingCount > 0 { return true }
            if await usageEvents.waitingCount > 0 { return true }
            if await edits.waitingCount > 0 { return true }
            return await calibrations.waitingCount > 0
        }
    }

    /// Returns after the commit of the sheet.
    /// - Throws: `IngestOverload`, or the database error when this sheet alone cannot be written.
    package func submit(_ submission: SheetSubmission) async throws -> SheetReceipt {
        try await sheets.submit(submission)
    }

    /// Returns after the commit of the walk and of the occasions that follow from it.
    /// - Throws: `IngestOverload`, `ConcurrentErasure`, or the database error when this walk alone cannot be written.
    package func submit(_ submission: WalkSubmission, study: Study) async throws -> StorageReceipt {
        let walk = QueuedWalk(submission: submission, study: study)
        guard let receipt = try await walks.submit(walk) else { throw ConcurrentErasure() }
        return receipt
    }

    /// Returns after the commit of the calibration.
    /// - Throws: `IngestOverload`, `ConcurrentErasure`, or the database error when this calibration alone cannot be
    ///   written.
    package func submit(_ submission: CalibrationSubmission) async throws -> StorageReceipt {
        guard let receipt = try await calibrations.submit(submission) else { throw ConcurrentErasure() }
        return receipt
    }

    /// Returns after the commit of the observation.
    /// - Throws: `IngestOverload`, `ConcurrentErasure`, or the database error when this observation alone cannot be
    ///   written.
    package func submit(_ submission: ObservationSubmission) async throws -> StorageReceipt {
        guard let receipt = try await observations.submit(submission) else { throw ConcurrentErasure() }
        return receipt
    }

    /// Returns after the commit of the usage event.
    /// - Throws: `IngestOverload`, `ConcurrentErasure`, or the database error when this event alone cannot be written.
    package func submit(_ submission: UsageEventSubmission) async throws -> StorageReceipt {
        guard let receipt = try await usageEvents.submit(submission) else { throw ConcurrentErasure() }
        return receipt
    }

    /// Returns after the commit of the edit. The edit then waits to be applied.
    /// - Throws: `IngestOverload`, `ConcurrentErasure`, or the database error when this edit alone cannot be written.
    package func submit(_ submission: EditSubmission) async throws -> StorageReceipt {
        guard let receipt = try await edits.submit(submission) else { throw ConcurrentErasure() }
        return receipt
    }
}
