import Foundation
import Postgres
import SaunterCore
import Synchronization
import Testing

@testable import SaunterStore

@Suite struct IngestQueueTests {
    /// A writer that records the sheets of each batch. A test can block it or make it fail.
    private actor Writer {
        private(set) var batches: [[SheetID]] = []
        private(set) var attempts = 0
        private var blocked: [CheckedContinuation<Void, Never>] = []
        private var isBlocking: Bool
        private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        private let fault: @Sendable (_ attempt: Int, _ batch: [SheetSubmission]) -> (any Error)?

        init(
            isBlocking: Bool = false,
            fault: @escaping @Sendable (_ attempt: Int, _ batch: [SheetSubmission]) -> (any Error)? = {
                _, _ in nil
            }
        ) {
            self.isBlocking = isBlocking
            self.fault = fault
        }

        func write(_ batch: [SheetSubmission]) async throws -> [StorageReceipt] {
            attempts += 1
            let attempt = attempts
            batches.append(batch.map(\.sheet))
            let due = arrivals.filter { $0.count <= batches.count }
            arrivals.removeAll { $0.count <= batches.count }
            for arrival in due { arrival.continuation.resume() }
            if isBlocking { await withCheckedContinuation { blocked.append($0) } }
            if let error = fault(attempt, batch) { throw error }
            return batch.map { _ in .stored }
        }

        func release() {
            isBlocking = false
            for continuation in blocked { continuation.resume() }
            blocked = []
        }

        func awaitBatches(_ count: Int) async {
            guard batches.count < count else { return }
            await withCheckedContinuation { arrivals.append((count, $0)) }
        }
    }

    private static let enrolment = EnrolmentID(UUID())

    private static func sheets(_ count: Int) -> [SheetSubmission] {
        (0..<count).map { .make(enrolment, body: "\($0)") }
    }

    private static func queue(_ writer: Writer, pauses: Pauses = Pauses()) -> IngestQueue {
        IngestQueue(logger: StoreFixture.logger, pause: { pauses.add($0) }) {
            try await writer.write($0.compactMap { $0 as? SheetSubmission })
        }
    }

    private final class Pauses: Sendable {
        private let attempts = Mutex<[Int]>([])
        var all: [Int] { attempts.withLock { $0 } }
        func add(_ attempt: Int) { attempts.withLock { $0.append(attempt) } }
    }

    private static func connection(commitUnknown: Bool = false) -> DatabaseError {
        DatabaseError(.connection(reason: "cut", commitUnknown: commitUnknown))
    }

    private static func server(_ state: SQLState) -> DatabaseError {
        DatabaseError(.server(ServerFault(state: state)))
    }

    @Test func `a single sheet is written at once and alone`() async throws {
        let writer = Writer()
        let sheet = Self.sheets(1)[0]

        let receipt = try await Self.queue(writer).submit(sheet)

        #expect(receipt == .stored)
        #expect(await writer.batches == [[sheet.sheet]])
    }

    @Test func `while two batches run, the other sheets wait in the order of arrival`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        let sheets = Self.sheets(12)
        var tasks: [Task<StorageReceipt, any Error>] = []
        for (number, sheet) in sheets.enumerated() {
            tasks.append(Task { try await queue.submit(sheet) })
            // One after the other, so that the order is known.
            if number < 2 {
                await writer.awaitBatches(number + 1)
            } else {
                try await queue.waitUntilWaiting(number - 1)
            }
        }

        await writer.release()
        for task in tasks { #expect(try await task.value == .stored) }

        #expect(await writer.batches == [[sheets[0].sheet], [sheets[1].sheet], sheets[2...].map(\.sheet)])
    }

    @Test func `a second batch starts only when enough sheets wait for it`()
        async throws
    {
        let writer = Writer(isBlocking: true)
        let queue = IngestQueue(logger: StoreFixture.logger, secondBatchItems: 3) {
            try await writer.write($0.compactMap { $0 as? SheetSubmission })
        }
        let sheets = Self.sheets(7)
        var tasks: [Task<StorageReceipt, any Error>] = []
        for (number, sheet) in sheets.enumerated() {
            tasks.append(Task { try await queue.submit(sheet) })
            switch number {
            case 0: await writer.awaitBatches(1)
            case 1, 2: try await queue.waitUntilWaiting(number)
            case 3: await writer.awaitBatches(2)
            default: try await queue.waitUntilWaiting(number - 3)
            }
        }

        #expect(await writer.batches.map(\.count) == [1, 3])
        await writer.release()
        for task in tasks { _ = try await task.value }
        #expect(
            await writer.batches == [
                [sheets[0].sheet], sheets[1...3].map(\.sheet), sheets[4...].map(\.sheet),
            ])
    }

    @Test func `a batch has a limit, and the rest is in the next one`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        let tasks = Self.sheets(452).map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        try await queue.waitUntilWaiting(450)

        await writer.release()
        for task in tasks { _ = try await task.value }

        let sizes = await writer.batches.map(\.count)
        #expect(sizes.reduce(0, +) == 452)
        #expect(sizes.max() == 200)
        #expect(await Set(writer.batches.joined()).count == 452)
    }

    @Test func `a full queue sheds load, and accepts sheets again after it has drained`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        let tasks = Self.sheets(5_002).map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        try await queue.waitUntilWaiting(5_000)

        await #expect(throws: IngestOverload.self) { try await queue.submit(Self.sheets(1)[0]) }

        await writer.release()
        for task in tasks { _ = try await task.value }
        #expect(try await queue.submit(Self.sheets(1)[0]) == .stored)
    }

    @Test(arguments: [
        server(.deadlockDetected), server(.serializationFailure), server(.adminShutdown), connection(),
        connection(commitUnknown: true), DatabaseError(.durabilityUnknown),
    ])
    func `after a transient fault the same batch is written again`(fault: DatabaseError) async throws {
        let writer = Writer { attempt, _ in attempt < 3 ? fault : nil }
        let pauses = Pauses()

        let receipt = try await Self.queue(writer, pauses: pauses).submit(Self.sheets(1)[0])

        #expect(receipt == .stored)
        #expect(await writer.attempts == 3)
        #expect(pauses.all == [2, 3])
    }

    @Test func `if one sheet of a batch is faulty, all others are stored`() async throws {
        let sheets = Self.sheets(9)
        let bad = sheets[4].sheet
        let writer = Writer(isBlocking: true) { _, batch in
            batch.contains { $0.sheet == bad } ? Self.server(.numericValueOutOfRange) : nil
        }
        let outcomes = try await Self.outcomes(of: sheets, writer)

        for (sheet, outcome) in zip(sheets, outcomes) {
            if sheet.sheet == bad {
                #expect((outcome.failure as? DatabaseError)?.sqlState == .numericValueOutOfRange)
            } else {
                #expect(outcome.receipt == .stored)
            }
        }
    }

    @Test(arguments: [
        connection(), connection(commitUnknown: true), server(.cannotConnectNow), DatabaseError(.closed),
    ])
    func `an outage fails the complete batch after a few attempts, not each sheet`(
        fault: DatabaseError
    ) async throws {
        let writer = Writer(isBlocking: true) { _, _ in fault }
        let outcomes = try await Self.outcomes(of: Self.sheets(50), writer)

        #expect(outcomes.allSatisfy { ($0.failure as? DatabaseError)?.kind == fault.kind })
        // Three batches of at most five attempts.
        #expect(await writer.attempts <= 15)
    }

    @Test func `an outage while a batch is being split fails the rest at once`() async throws {
        let sheets = Self.sheets(42)
        let writer = Writer(isBlocking: true) { attempt, batch in
            if attempt > 20 { return Self.connection() }
            return batch.count > 1 ? Self.server(.numericValueOutOfRange) : nil
        }
        let outcomes = try await Self.outcomes(of: sheets, writer)

        // Two sheets were alone in their batches. Of the forty, about every sixteenth attempt wrote one.
        let stored = outcomes.filter { $0.receipt != nil }.count
        #expect(stored > 5 && stored < 20)
        #expect(
            outcomes.allSatisfy { outcome in
                outcome.receipt != nil || (outcome.failure as? DatabaseError)?.isOutage == true
            })
        #expect(await writer.attempts <= 25)
    }

    @Test func `one faulty sheet in a batch of 200 costs about twenty attempts`() async throws {
        let sheets = Self.sheets(202)
        let bad = sheets[150].sheet
        let writer = Writer(isBlocking: true) { _, batch in
            batch.contains { $0.sheet == bad } ? Self.server(.numericValueOutOfRange) : nil
        }
        let outcomes = try await Self.outcomes(of: sheets, writer)

        #expect(outcomes.filter { $0.receipt == .stored }.count == 201)
        // Two batches of one sheet, one batch of all, and two for each of eight splits.
        #expect(await writer.attempts <= 2 + 1 + 16)
    }

    @Test func `a study with thousands of sheets does not delay the others`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        let many = (0..<600).map { SheetSubmission.make(Self.enrolment, body: "\($0)", study: "large") }
        let few = (0..<3).map { SheetSubmission.make(Self.enrolment, body: "few \($0)", study: "small") }
        var tasks = many.map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        try await queue.waitUntilWaiting(598)
        tasks += few.map { sheet in Task { try await queue.submit(sheet) } }
        try await queue.waitUntilWaiting(601)

        await writer.release()
        for task in tasks { _ = try await task.value }

        let batches = await writer.batches
        #expect(batches.map(\.count).max() == 200)
        #expect(Set(few.map(\.sheet)).isSubset(of: Set(batches[2])))
    }

    @Test func `the bytes of waiting bodies are bounded`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        var large = Self.sheets(70)
        for index in large.indices { large[index].body = .string(String(repeating: "x", count: 1 << 20)) }
        let sheets = large
        let tasks = sheets[..<2].map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        var waiting: [Task<StorageReceipt, any Error>] = []
        for (number, sheet) in sheets[2..<65].enumerated() {
            waiting.append(Task { try await queue.submit(sheet) })
            try await queue.waitUntilWaiting(number + 1)
        }

        await #expect(throws: IngestOverload.self) { try await queue.submit(sheets[69]) }
        let small = Task { try await queue.submit(Self.sheets(1)[0]) }
        try await queue.waitUntilWaiting(64)

        await writer.release()
        for task in tasks + waiting + [small] { _ = try await task.value }
    }

    @Test func `a queue that is full of one kind of record does not delay the other kinds`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        let tasks = Self.sheets(5_002).map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        try await queue.waitUntilWaiting(5_000)

        let event = Task { try await queue.submit(UsageFixture.make(Self.enrolment)) }
        await writer.awaitBatches(3)

        #expect(await writer.batches.map(\.count) == [1, 1, 0], "the batch of the event has no sheets")
        await writer.release()
        for task in tasks { #expect(try await task.value == .stored) }
        await #expect(throws: OutcomeCountError.self) { try await event.value }
    }

    @Test func `a time-out of the pool is not retried`() async throws {
        let writer = Writer { _, _ in DatabaseError(.timeout(.acquire)) }

        await #expect(throws: DatabaseError.self) { try await Self.queue(writer).submit(Self.sheets(1)[0]) }

        #expect(await writer.attempts == 1)
    }

    @Test func `cancelling a caller does not cancel any commit, not even its own`() async throws {
        let writer = Writer(isBlocking: true)
        let queue = Self.queue(writer)
        let sheets = Self.sheets(6)
        let tasks = sheets.map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        try await queue.waitUntilWaiting(4)
        for task in tasks[..<3] { task.cancel() }

        await writer.release()
        for task in tasks { #expect(try await task.value == .stored) }

        #expect(await Set(writer.batches.joined()) == Set(sheets.map(\.sheet)))
    }

    private struct Outcome {
        var receipt: StorageReceipt?
        var failure: (any Error)?
    }

    /// Two sheets alone in their batches, the others in one.
    private static func outcomes(of sheets: [SheetSubmission], _ writer: Writer) async throws -> [Outcome] {
        let queue = queue(writer)
        let tasks = sheets.map { sheet in Task { try await queue.submit(sheet) } }
        await writer.awaitBatches(2)
        try await queue.waitUntilWaiting(sheets.count - 2)
        await writer.release()
        var outcomes: [Outcome] = []
        for task in tasks {
            switch await task.result {
            case .success(let receipt): outcomes.append(Outcome(receipt: receipt))
            case .failure(let error): outcomes.append(Outcome(failure: error))
            }
        }
        return outcomes
    }
}

extension IngestQueue {
    /// Returns when this many sheets wait for a batch.
    func waitUntilWaiting(_ count: Int) async throws {
        while await waitingCount(.sheet) < count { await Task.yield() }
    }
}
