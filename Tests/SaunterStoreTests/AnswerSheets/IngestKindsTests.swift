import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

/// What holds for sheets (`IngestQueueTests`) holds for everything else that is handed in.
@Suite("Ingest queue, kind by kind") struct IngestKindsTests {
    /// Keeps batches waiting until it is told otherwise, and remembers whose things each held.
    private actor Gate {
        private(set) var batches: [[String]] = []
        private var isHolding = true
        private var held: [CheckedContinuation<Void, Never>] = []
        private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// - Returns: a receipt of each.
        func take(_ studies: [String]) async -> [StorageReceipt?] {
            batches.append(studies)
            let due = arrivals.filter { $0.count <= batches.count }
            arrivals.removeAll { $0.count <= batches.count }
            for arrival in due { arrival.continuation.resume() }
            if isHolding { await withCheckedContinuation { held.append($0) } }
            return studies.map { _ in .stored }
        }

        func release() {
            isHolding = false
            for continuation in held { continuation.resume() }
            held = []
        }

        func awaitBatches(_ count: Int) async {
            guard batches.count < count else { return }
            await withCheckedContinuation { arrivals.append((count, $0)) }
        }
    }

    private actor Ended {
        private(set) var isNoted = false

        func note() { isNoted = true }
    }

    enum Kind: String, CaseIterable {
        case walks, calibrations, observations
        case usageEvents = "usage events"
        case amendments
    }

    private static let enrolment = EnrolmentID(UUID())

    private static func queue(_ gate: Gate) -> IngestQueue {
        IngestQueue(
            logger: StoreFixture.logger, pause: { _ in },
            writeWalks: { await gate.take($0.map(\.study.code)) },
            writeCalibrations: { await gate.take($0.map(\.study)) },
            writeObservations: { await gate.take($0.map(\.study)) },
            writeUsageEvents: { await gate.take($0.map(\.study)) },
            writeAmendments: { await gate.take($0.map(\.study)) }
        ) { _ in [] }
    }

    /// Hands in something new of this kind.
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
        case .amendments:
            return try await queue.submit(
                AmendmentSubmission(
                    study: study, enrolment: enrolment, amendment: AmendmentFixture.make(SheetID(UUID()))))
        }
    }

    private static func waiting(_ kind: Kind, _ queue: IngestQueue) async -> Int {
        switch kind {
        case .walks: await queue.walks.waitingCount
        case .calibrations: await queue.calibrations.waitingCount
        case .observations: await queue.observations.waitingCount
        case .usageEvents: await queue.usageEvents.waitingCount
        case .amendments: await queue.amendments.waitingCount
        }
    }

    /// Hands in so many of a study, and returns when that many wait.
    private static func flood(
        _ kind: Kind, _ queue: IngestQueue, _ count: Int, of study: String, until waiting: Int
    ) async throws -> [Task<StorageReceipt, any Error>] {
        let tasks = (0..<count).map { _ in Task { try await submit(kind, of: study, to: queue) } }
        while await Self.waiting(kind, queue) < waiting { await Task.yield() }
        return tasks
    }

    @Test(arguments: Kind.allCases)
    func `a study with hundreds of things keeps no other waiting`(_ kind: Kind) async throws {
        let gate = Gate()
        let queue = Self.queue(gate)
        let first = try await Self.flood(kind, queue, 2, of: "large", until: 0)
        await gate.awaitBatches(2)
        let many = try await Self.flood(kind, queue, 600, of: "large", until: 600)
        let few = try await Self.flood(kind, queue, 3, of: "small", until: 603)

        await gate.release()
        for task in first + many + few { #expect(try await task.value == .stored) }

        let batches = await gate.batches
        #expect(batches[..<2] == [["large"], ["large"]])
        #expect(batches[2].filter { $0 == "small" }.count == 3)
        #expect(batches.dropFirst(3).joined().allSatisfy { $0 == "large" })
    }

    @Test(arguments: Kind.allCases)
    func `a full queue sheds load, and takes things again when it has drained`(_ kind: Kind) async throws {
        let gate = Gate()
        let queue = Self.queue(gate)
        let first = try await Self.flood(kind, queue, 2, of: "large", until: 0)
        await gate.awaitBatches(2)
        let many = try await Self.flood(kind, queue, 5_000, of: "large", until: 5_000)

        // Beside this test, so that one which is let in makes it fail instead of wait.
        let another = Task { try await Self.submit(kind, of: "small", to: queue) }
        let ended = Ended()
        let watching = Task {
            _ = await another.result
            await ended.note()
        }
        while await !ended.isNoted, await Self.waiting(kind, queue) <= 5_000 { await Task.yield() }
        #expect(await Self.waiting(kind, queue) == 5_000)
        // Each kind has a queue of its own.
        for other in Kind.allCases where other != kind { #expect(await Self.waiting(other, queue) == 0) }

        await gate.release()
        for task in first + many { #expect(try await task.value == .stored) }
        await watching.value
        await #expect(throws: IngestOverload.self) { try await another.value }
        #expect(try await Self.submit(kind, of: "small", to: queue) == .stored)
    }
}
