import Logging
import Postgres
import SaunterCore

/// Writes what arrives together together: sheets, walks, calibrations, observations, usage events and amendments, each kind in its own transactions; studies
/// take turns. See `GatheringQueue`.
package struct IngestQueue: Sendable {
    let sheets: GatheringQueue<SheetSubmission, SheetReceipt>
    let walks: GatheringQueue<WalkArrival, StorageReceipt?>
    let calibrations: GatheringQueue<CalibrationSubmission, StorageReceipt?>
    let observations: GatheringQueue<ObservationSubmission, StorageReceipt?>
    let usageEvents: GatheringQueue<UsageEventSubmission, StorageReceipt?>
    let amendments: GatheringQueue<AmendmentSubmission, StorageReceipt?>

    package init(store: Store, logger: Logger) {
        self.init(
            logger: logger, another: 64, writeWalks: { try await store.submit($0) },
            writeCalibrations: { try await store.submit($0) },
            writeObservations: { try await store.submit($0) },
            writeUsageEvents: { try await store.submit($0) },
            writeAmendments: { try await store.submit($0) }
        ) { try await store.submit($0) }
    }

    /// For tests: any writer with the store's contract, and any wait before an attempt (the second is 2).
    /// - Parameter another: sheets that must wait for a second batch to begin beside the first.
    init(
        logger: Logger, another: Int = 1,
        pause: @escaping @Sendable (_ attempt: Int) async throws -> Void = GatheringPatience.backOff,
        writeWalks: @escaping @Sendable ([WalkArrival]) async throws -> [StorageReceipt?] = { _ in [] },
        writeCalibrations:
            @escaping @Sendable ([CalibrationSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        writeObservations:
            @escaping @Sendable ([ObservationSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        writeUsageEvents:
            @escaping @Sendable ([UsageEventSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        writeAmendments:
            @escaping @Sendable ([AmendmentSubmission]) async throws -> [StorageReceipt?] = { _ in [] },
        write: @escaping @Sendable ([SheetSubmission]) async throws -> [SheetReceipt]
    ) {
        sheets = GatheringQueue(
            "sheets", bounds: GatheringBounds(another: another),
            rules: .init(
                lane: { $0.study }, bytes: { $0.body.weight + 1024 }, isRace: { $0 is SheetRace },
                meaning: { ($0 as? DatabaseError)?.sqlState == .foreignKeyViolation ? .gone : nil }),
            logger: logger, pause: pause, write: write)
        walks = GatheringQueue(
            "walks", bounds: GatheringBounds(batch: 50),
            rules: .init(
                lane: { $0.study.code },
                // A sample of five series takes forty bytes in memory.
                bytes: { $0.submission.body.weight + 40 * ($0.submission.walk.series?.tMs.count ?? 0) + 1024 }
            ),
            logger: logger, pause: pause, write: writeWalks)
        calibrations = GatheringQueue(
            "calibrations", rules: .init(lane: { $0.study }, bytes: { $0.body.weight + 256 }), logger: logger,
            pause: pause, write: writeCalibrations)
        observations = GatheringQueue(
            "observations", bounds: GatheringBounds(batch: 50),
            rules: .init(
                lane: { $0.study },
                // A sample of one component takes twenty bytes in memory.
                bytes: {
                    $0.body.weight + 20 * $0.observation.tMs.count * $0.observation.components.count + 1024
                }),
            logger: logger, pause: pause, write: writeObservations)
        usageEvents = GatheringQueue(
            "usage_events", rules: .init(lane: { $0.study }, bytes: { $0.body.weight + 256 }), logger: logger,
            pause: pause, write: writeUsageEvents)
        amendments = GatheringQueue(
            "amendments",
            rules: .init(lane: { $0.study }, bytes: { $0.amendment.body.weight + 256 }), logger: logger,
            pause: pause, write: writeAmendments)
    }

    /// Sheets that no batch has taken yet.
    var waitingCount: Int { get async { await sheets.waitingCount } }

    /// Whether something waits that no batch has taken yet.
    package var isBehind: Bool {
        get async {
            if await sheets.waitingCount > 0 { return true }
            if await walks.waitingCount > 0 { return true }
            if await observations.waitingCount > 0 { return true }
            if await usageEvents.waitingCount > 0 { return true }
            if await amendments.waitingCount > 0 { return true }
            return await calibrations.waitingCount > 0
        }
    }

    /// Returns after the commit that holds the sheet.
    /// - Throws: `IngestOverload`, or the database's error when this sheet alone cannot be written.
    package func submit(_ submission: SheetSubmission) async throws -> SheetReceipt {
        try await sheets.submit(submission)
    }

    /// Returns after the commit that holds the walk and the occasions that follow from it.
    /// - Throws: `IngestOverload`, `ErasedMeanwhile`, or the database's error when this walk alone cannot be written.
    package func submit(_ submission: WalkSubmission, study: Study) async throws -> StorageReceipt {
        let arrival = WalkArrival(submission: submission, study: study)
        guard let receipt = try await walks.submit(arrival) else { throw ErasedMeanwhile() }
        return receipt
    }

    /// Returns after the commit that holds the calibration.
    /// - Throws: `IngestOverload`, `ErasedMeanwhile`, or the database's error when this calibration alone cannot be written.
    package func submit(_ submission: CalibrationSubmission) async throws -> StorageReceipt {
        guard let receipt = try await calibrations.submit(submission) else { throw ErasedMeanwhile() }
        return receipt
    }

    /// Returns after the commit that holds the observation.
    /// - Throws: `IngestOverload`, `ErasedMeanwhile`, or the database's error when this observation alone cannot be written.
    package func submit(_ submission: ObservationSubmission) async throws -> StorageReceipt {
        guard let receipt = try await observations.submit(submission) else { throw ErasedMeanwhile() }
        return receipt
    }

    /// Returns after the commit that holds the event.
    /// - Throws: `IngestOverload`, `ErasedMeanwhile`, or the database's error when this event alone cannot be written.
    package func submit(_ submission: UsageEventSubmission) async throws -> StorageReceipt {
        guard let receipt = try await usageEvents.submit(submission) else { throw ErasedMeanwhile() }
        return receipt
    }

    /// Returns after the commit that holds the amendment, which then waits to be applied.
    /// - Throws: `IngestOverload`, `ErasedMeanwhile`, or the database's error when this amendment alone cannot be written.
    package func submit(_ submission: AmendmentSubmission) async throws -> StorageReceipt {
        guard let receipt = try await amendments.submit(submission) else { throw ErasedMeanwhile() }
        return receipt
    }
}
