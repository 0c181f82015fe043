import Foundation
import SaunterCore
import Synchronization
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// The place for work that keeps a processor busy.
@Suite struct HeavyWorkQueueTests {
    /// Work that runs until it is released.
    private struct HeldWork {
        let task: Task<Void, any Error>
        private let release: AsyncStream<Void>.Continuation

        /// - Parameter account: makes it a dry run.
        init(in queue: HeavyWorkQueue, account: AccountID? = nil, onStart: @escaping @Sendable () -> Void) {
            let (released, release) = AsyncStream<Void>.makeStream()
            self.release = release
            task = Task {
                let work: @Sendable () async throws -> Void = {
                    onStart()
                    for await _ in released { return }
                    try Task.checkCancellation()
                }
                if let account {
                    try await queue.dryRun(for: account, work)
                } else {
                    try await queue.run(work)
                }
            }
        }

        func end() async throws {
            release.yield()
            try await task.value
        }
    }

    /// What happened, in order.
    private final class Record<Element: Sendable>: Sendable {
        private let elements = Mutex<[Element]>([])

        func add(_ element: Element) { elements.withLock { $0.append(element) } }
        var all: [Element] { elements.withLock { $0 } }
    }

    /// Counts what runs at once.
    private final class Gauge: Sendable {
        private let state = Mutex((running: 0, highest: 0))

        func begin() {
            state.withLock { state in
                state.running += 1
                state.highest = max(state.highest, state.running)
            }
        }
        func end() { state.withLock { $0.running -= 1 } }
        var highest: Int { state.withLock { $0.highest } }
    }

    private static func yield(until isDone: () -> Bool) async throws {
        while !isDone() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `a small number runs at once, others wait in their order, and too many are refused`()
        async throws
    {
        let queue = HeavyWorkQueue()
        let started = Record<Int>()
        func hold(_ number: Int) -> HeldWork {
            HeldWork(in: queue) { started.add(number) }
        }
        var held: [HeldWork] = []
        for number in 0..<HeavyWorkQueue.maximumRunning {
            held.append(hold(number))
            try await Self.yield { started.all.count == number + 1 }
        }
        let running = held
        // As much as can wait, and one more.
        let tasks = (0...HeavyWorkQueue.maximumWaiting).map { number in
            Task { () -> Bool in
                do {
                    try await queue.run { started.add(100 + number) }
                    return true
                } catch let problem as Problem {
                    #expect(problem.type == .busy && problem.retryAfter != nil)
                    // The refusal shows that all others wait.
                    for work in running { try await work.end() }
                    return false
                }
            }
        }
        var served = 0
        for task in tasks { served += try await task.value ? 1 : 0 }

        #expect(served == HeavyWorkQueue.maximumWaiting)
        #expect(started.all.count == HeavyWorkQueue.maximumRunning + served)
        #expect(try await queue.run { 7 } == 7)
    }

    @Test func `a dry run waits for the other one, and a check does not`() async throws {
        let queue = HeavyWorkQueue()
        let started = Record<String>()
        let first = HeldWork(in: queue, account: AccountID(UUID())) {
            started.add("first")
        }
        try await Self.yield { started.all.count == 1 }
        let second = HeldWork(in: queue, account: AccountID(UUID())) {
            started.add("second")
        }

        try await queue.run { started.add("check") }
        try await first.end()
        try await second.end()

        #expect(started.all == ["first", "check", "second"])
    }

    @Test func `an account has one dry run at a time, and a cancelled one makes room`() async throws {
        let queue = HeavyWorkQueue()
        let (ada, ben) = (AccountID(UUID()), AccountID(UUID()))
        let (started, signal) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await queue.dryRun(for: ada) {
                signal.yield()
                try await Task.sleep(for: .seconds(60))
            }
        }
        for await _ in started { break }

        let second = await #expect(throws: Problem.self) { try await queue.dryRun(for: ada) {} }
        #expect(second?.type == .tooManyRequests && second?.retryAfter != nil)
        // A waiting run that is cancelled leaves the queue.
        let waiting = Task { try await queue.dryRun(for: ben) { 7 } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await queue.dryRun(for: ben) { 7 } == 7)
        #expect(try await queue.dryRun(for: ada) { 8 } == 8)
    }

    @Test func `many pieces of work never exceed the number, and failures make room`() async throws {
        let queue = HeavyWorkQueue()
        let gauge = Gauge()
        struct Failed: Error {}

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    _ = try? await queue.run {
                        gauge.begin()
                        defer { gauge.end() }
                        usleep(1000)
                        if number.isMultiple(of: 3) { throw Failed() }
                    }
                }
            }
        }

        #expect((1...HeavyWorkQueue.maximumRunning).contains(gauge.highest))
        #expect(try await queue.run { 1 } == 1)
    }
}
