import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

/// The properties that `IngestQueueTests` checks for sheets, for every other kind of record.
@Suite("Ingest queue by kind of record") struct IngestKindsTests {
    /// Blocks batches until it is opened, and remembers the studies of the records in each.
    private actor Gate {
        private(set) var batches: [[String]] = []
        private var isClosed = true
        private var blocked: [CheckedContinuation<Void, Never>] = []
        private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// - Returns: one receipt per record.
        func write(_ studies: [String]) async -> [StorageReceipt?] {
            batches.append(studies)
            let due = arrivals.filter { $0.count <= batches.count }
            arrivals.removeAll { $0.count <= batches.count }
            for arrival in due { arrival.continuation.resume() }
            if isClosed { await withCheckedContinuation { blocked.append($0) } }
            return studies.map { _ in .stored }
        }

        func release() {
            isClosed = false
            for continuation in blocked { continuation.resume() }
            blocked = []
        }

        func awaitBatches(_ count: Int) async {
            guard batches.count < count else { return }
            await withCheckedContinuation { arrivals.append((count, $0)) }
        }
    }

    private actor Completion {
        private(set) var isDone = false

        func markDone() { isDone = true }
    }

    enum Kind: String, CaseIterable {
        case walks, calibrations, observations
        case usageEvents = "usage events"
        case edits
    }

    private static let enrolment = EnrolmentID(UUID())

    private static func queue(_ gate: Gate) -> IngestQueue {
        IngestQueue(
            logger: StoreFixture.logger, pause: { _ in },
            writeWalks: { await gate.write($0.map(\.study.code)) },
            writeCalibrations: { await gate.write($0.map(\.study)) },
            writeObservations: { await gate.write($0.map(\.study)) },
            writeUsageEvents: { await gate.write($0.map(\.study)) },
            writeEdits: { await gate.write($0.map(\.study)) }
        ) { _ in [] }
    }

    /// Submits a new record of this kind.
    private static func submit(
        _ kind: Kind, of study: String, to queue: IngestQueue
    ) async throws -> StorageReceipt {
        switch kind {
        case .walks:
            return try await queue.submit(
                WalkFixture.make(enrolment), study: StudyFixture.make(code: study))
        case .calibrations:
            return try await queue.submit(
                CalibrationSubmission(
                    study: study, enrolment: enrolment, id: CalibrationID(UUID()),
                    calibration: try Calibration(
                        recordedAt: .start, meanSpeedKmh: 5, reductionPercent: 20, durationS: 60, rule: nil),
                    receivedAt: .start, digest: [1], body: "calibration"))
        case .observations:
            var observation = try ObservationFixture.make(enrolment)
            observation.study = study
            return try await queue.submit(observation)
        case .usageEvents:
            var event = UsageFixture.make(enrolment)
            event.study = study
            return try await queue.submit(event)
        case .edits:
            return try await queue.submit(
                EditSubmission(
                    study: study, enrolment: enrolment, edit: EditFixture.make(SheetID(UUID()))))
        }
    }

    private static func waiting(_ kind: Kind, _ queue: IngestQueue) async -> Int {
        switch kind {
        case .walks: await queue.walks.waitingCount
        case .calibrations: await queue.calibrations.waitingCount
        case .observations: await queue.observations.waitingCount
        case .usageEvents: await queue.usageEvents.waitingCount
        case .edits: await queue.edits.waitingCount
        }
    }

    /// Submits this many records of a study, and returns when they are all waiting.
    private static func enqueue(
        _ kind: Kind, _ queue: IngestQueue, _ count: Int, of study: String, until waiting: Int
    ) async throws -> [Task<StorageReceipt, any Error>] {
        let tasks = (0..<count).map { _ in Task { try await submit(kind, of: study, to: queue) } }
        while await Self.waiting(kind, queue) < waiting { await Task.yield() }
        return tasks
    }

    @Test(arguments: Kind.allCases)
    func `a study with hundreds of records does not delay the others`(_ kind: Kind) async throws {
        let gate = Gate()
        let queue = Self.queue(gate)
        let first = try await Self.enqueue(kind, queue, 2, of: "large", until: 0)
        await gate.awaitBatches(2)
        let many = try await Self.enqueue(kind, queue, 600, of: "large", until: 600)
        let few = try await Self.enqueue(kind, queue, 3, of: "small", until: 603)

        await gate.release()
        for task in first + many + few { #expect(try await task.value == .stored) }

        let batches = await gate.batches
        #expect(batches[..<2] == [["large"], ["large"]])
        #expect(batches[2].filter { $0 == "small" }.count == 3)
        #expect(batches.dropFirst(3).joined().allSatisfy { $0 == "large" })
    }

    @Test(arguments: Kind.allCases)
    func `a full queue sheds load, and accepts records again after it has drained`(_ kind: Kind) async throws
    {
        let gate = Gate()
        let queue = Self.queue(gate)
        let first = try await Self.enqueue(kind, queue, 2, of: "large", until: 0)
        await gate.awaitBatches(2)
        let many = try await Self.enqueue(kind, queue, 5_000, of: "large", until: 5_000)

        // In a separate task, so that the test fails instead of waiting if the record is accepted.
        let another = Task { try await Self.submit(kind, of: "small", to: queue) }
        let ended = Completion()
        let observer = Task {
            _ = await another.result
            await ended.markDone()
        }
        while await !ended.isDone, await Self.waiting(kind, queue) <= 5_000 { await Task.yield() }
        #expect(await Self.waiting(kind, queue) == 5_000)
        // Each kind has its own queue.
        for other in Kind.allCases where other != kind { #expect(await Self.waiting(other, queue) == 0) }

        await gate.release()
        for task in first + many { #expect(try await task.value == .stored) }
        await observer.value
        await #expect(throws: IngestOverload.self) { try await another.value }
        #expect(try await Self.submit(kind, of: "small", to: queue) == .stored)
    }
}
